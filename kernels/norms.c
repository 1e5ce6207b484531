// Layer norm, activation functions, and the quantisation of what comes out: one scale a row, found as it goes by.
// Rows are in whole vectors; what stands behind the width is 0, and multiplied by weights that are 0.

static const float LEAST = 1e-20f; // of a row's largest number, so that a row of zeros has a scale

static INLINE Vector exponential(Vector x) { // relative error 3e-7, Cephes' reduction and a polynomial
  x = smaller(larger(x, all(-87.0f)), all(88.0f));
  Vector n = whole(mul(x, all(1.44269504f)));
  Vector r = fma_(n, all(-0.693359375f), x);
  r = fma_(n, all(2.12194440e-4f), r);
  Vector p = all(1.3888889e-3f);
  p = fma_(p, r, all(8.3333333e-3f));
  p = fma_(p, r, all(4.1666667e-2f));
  p = fma_(p, r, all(1.6666667e-1f));
  p = fma_(p, r, all(0.5f));
  p = fma_(p, r, all(1.0f));
  p = fma_(p, r, all(1.0f));
  return scaled(p, n);
}

// Bytes of a row whose largest magnitude is known.
static INLINE void to_bytes(const float *x, int n, float most, float levels, int offset, uint8_t *bytes, float *scale) {
  *scale = most / levels;
  Vector factor = all(levels / most), low = all(offset ? -levels : 0.0f), high = all(levels);
  for (int i = 0; i < n; i += LANES) store_bytes(bytes + i, smaller(larger(mul(load(x + i), factor), low), high), offset);
}

static INLINE float most_of(const float *x, int n) {
  Vector most = all(LEAST);
  for (int i = 0; i < n; i += LANES) most = larger(magnitude(load(x + i)), most);
  return largest(most);
}

// (R, stride) floats -> (R, depth) bytes, larger by OFFSET.
static void quantize(const float *x, size_t stride, int depth, int rows, uint8_t *bytes, float *scales) {
  for (int r = 0; r < rows; r++, x += stride, bytes += depth)
    to_bytes(x, depth, most_of(x, depth), 127.0f, OFFSET, bytes, scales + r);
}

static INLINE float sum_of(Vector a, Vector b) {
  float lanes[LANES];
  store(lanes, fold_sum(add(a, b)));
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

// One row, to another or itself.
static INLINE void normalize_row(const float *x, const Norm *norm, int width, float epsilon, float *out) {
  const int full = width / LANES * LANES, n = rounded_up(width, LANES);
  Vector even = all(0), odd = even;
  for (int i = 0; i < n; i += LANES) {
    if (i & LANES) odd = add(odd, load(x + i));
    else even = add(even, load(x + i));
  }
  Vector mean = all(sum_of(even, odd) / (float)width);
  even = odd = all(0);
  for (int i = 0; i < n; i += LANES) {
    Vector v = sub(load(x + i), mean);
    store(out + i, v);
    if (i >= full) v = load_first(out + i, width - i);
    if (i & LANES) odd = fma_(v, v, odd);
    else even = fma_(v, v, even);
  }
  Vector factor = all(1.0f / sqrtf(sum_of(even, odd) / (float)width + epsilon));
  for (int i = 0; i < n; i += LANES) // behind the width, gain and bias are 0
    store(out + i, fma_(mul(load(out + i), factor), load(norm->gain + i), load(norm->bias + i)));
}

static void normalize(float *x, size_t stride, const Norm *norm, int width, float epsilon, int rows) {
  for (int r = 0; r < rows; r++, x += stride) normalize_row(x, norm, width, epsilon, x);
}

static void normalize_to_bytes(const float *x, size_t stride, const Norm *norm, int width, float epsilon, int rows, float *row,
                               uint8_t *bytes, float *scales) {
  const int depth = rounded_up(width, LANES);
  for (int r = 0; r < rows; r++, x += stride, bytes += depth) {
    normalize_row(x, norm, width, epsilon, row);
    to_bytes(row, depth, most_of(row, depth), 127.0f, OFFSET, bytes, scales + r);
  }
}

// erf by formula 7.1.26 of Abramowitz and Stegun, absolute error 1.5e-7.
static INLINE Vector gelu(Vector x) {
  Vector z = mul(magnitude(x), all(0.70710678f)), t = quotient(all(1), fma_(all(0.3275911f), z, all(1)));
  Vector p = fma_(all(1.061405429f), t, all(-1.453152027f));
  p = fma_(p, t, all(1.421413741f));
  p = fma_(p, t, all(-0.284496736f));
  p = fma_(p, t, all(0.254829592f));
  Vector rest = mul(mul(p, t), exponential(mul(mul(z, z), all(-1)))); // 1 - erf(|x| / sqrt 2)
  // x / 2 (1 + erf) = max(x, 0) - |x| / 2 (1 - erf(|x|))
  return sub(larger(x, all(0)), mul(mul(magnitude(x), all(0.5f)), rest));
}

static INLINE Vector swish(Vector x) { return quotient(x, add(all(1), exponential(mul(x, all(-1))))); }

// The activation function, in place, and the bytes. After a ReLU nothing is negative, so there are twice the levels.
static void activate(float *x, size_t stride, int depth, int activation, int rows, uint8_t *bytes, float *scales) {
  for (int r = 0; r < rows; r++, x += stride, bytes += depth) {
    Vector most = all(LEAST);
    if (activation == RELU) {
      for (int i = 0; i < depth; i += LANES) most = larger(load(x + i), most);
      to_bytes(x, depth, largest(most), 255.0f, 0, bytes, scales + r);
      continue;
    }
    for (int i = 0; i < depth; i += LANES) {
      Vector v = load(x + i);
      v = activation == GELU ? gelu(v) : swish(v);
      store(x + i, v);
      most = larger(magnitude(v), most);
    }
    to_bytes(x, depth, largest(most), 127.0f, OFFSET, bytes, scales + r);
  }
}
