// Layer norm, activation functions, and quantisation of their results: one scale a row, found in the same pass.
// Rows are in whole vectors; the padding after the width is 0, and so are its weights.

static const float LEAST = 1e-20f; // lower bound of a row's largest number, so that a row of zeros has a scale

// e^x for x up to 88; below -87, e^-87. Relative error 4e-7, by a minimax polynomial between -ln 2 / 2 and ln 2 / 2.
static INLINE Vector exponential(Vector x) {
  x = larger(x, all(-87.0f));
  const Vector n = whole(mul(x, all(1.44269504f))), r = fma_(n, all(-0.69314718f), x);
  Vector p = fma_(all(8.290229365e-3f), r, all(4.189839214e-2f));
  p = fma_(p, r, all(1.666764021e-1f));
  p = fma_(p, r, all(4.999914467e-1f));
  p = fma_(p, r, all(9.999997020e-1f));
  return scaled(fma_(p, r, all(1.0f)), n);
}

// Quantises a row whose largest magnitude is known.
static INLINE void to_bytes(const float *x, int n, float most, float levels, int offset, uint8_t *bytes, float *scale) {
  *scale = most / levels;
  Vector factor = all(levels / most), low = all(offset ? -levels : 0.0f), high = all(levels);
  for (int i = 0; i < n; i += LANES)
    store_bytes(bytes + i, smaller(larger(mul(load(x + i), factor), low), high), offset);
}

// The largest magnitude, or the largest number; n is a multiple of LANES.
static INLINE float most_of(const float *x, int n, int magnitudes) {
  Vector most[4] = {all(LEAST), all(LEAST), all(LEAST), all(LEAST)};
#define MORE(J, I) most[J] = larger(magnitudes ? magnitude(load(x + (I))) : load(x + (I)), most[J])
  int i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES)
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) MORE(j, i + LANES * j);
  for (; i < n; i += LANES) MORE(0, i);
#undef MORE
  return largest(larger(larger(most[0], most[1]), larger(most[2], most[3])));
}

enum { ROWS_TOGETHER = 4 }; // each row's operations wait for each other; four rows side by side take half the time

#define IN_FOURS(R, SOME, ROWS) \
  for (int R = 0, SOME; SOME = ROWS - R < ROWS_TOGETHER ? ROWS - R : ROWS_TOGETHER, R < ROWS; R += SOME)

// (R, stride) floats -> (R, depth) bytes, OFFSET added.
static void quantize(const float *x, size_t stride, int depth, int rows, uint8_t *bytes, float *scales) {
  float most[ROWS_TOGETHER];
  IN_FOURS(r, some, rows) {
    for (int i = 0; i < some; i++) most[i] = most_of(x + i * stride, depth, 1);
    for (int i = 0; i < some; i++, x += stride, bytes += depth)
      to_bytes(x, depth, most[i], 127.0f, OFFSET, bytes, scales + r + i);
  }
}

static INLINE float sum_of(Vector a, Vector b) {
  float lanes[LANES];
  store(lanes, fold_sum(add(a, b)));
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

static INLINE float mean_of(const float *x, int width) {
  const int n = rounded_up(width, LANES);
  Vector even = all(0), odd = even;
  int i = 0;
  for (; i + LANES < n; i += 2 * LANES) even = add(even, load(x + i)), odd = add(odd, load(x + i + LANES));
  if (i < n) even = add(even, load(x + i));
  return sum_of(even, odd) / (float)width;
}

// Writes a row minus its mean; returns the factor that makes its standard deviation 1.
static INLINE float centre(const float *x, float mean, int width, float epsilon, float *out) {
  const Vector middle = all(mean);
  Vector even = all(0), odd = even;
  int i = 0;
  for (; i + 2 * LANES <= width; i += 2 * LANES) {
    const Vector v = sub(load(x + i), middle), w = sub(load(x + i + LANES), middle);
    store(out + i, v), store(out + i + LANES, w);
    even = fma_(v, v, even), odd = fma_(w, w, odd);
  }
  for (; i < width; i += LANES) {
    Vector v = sub(load(x + i), middle);
    store(out + i, v);
    if (width - i < LANES) v = load_first(out + i, width - i);
    if (i & LANES) odd = fma_(v, v, odd);
    else even = fma_(v, v, even);
  }
  return 1.0f / sqrtf(sum_of(even, odd) / (float)width + epsilon);
}

// Multiplies a row by factor and gain and adds the bias; returns its largest magnitude. Behind the width, gain and bias
// are 0.
static INLINE float stretch(float *x, float factor, const Norm *norm, int width) {
  Vector most = all(LEAST);
  for (int i = 0; i < width; i += LANES) {
    const Vector v = fma_(mul(load(x + i), all(factor)), load(norm->gain + i), load(norm->bias + i));
    store(x + i, v);
    most = larger(magnitude(v), most);
  }
  return largest(most);
}

// Normalises up to four rows, in place or into other rows; writes their largest magnitudes.
static INLINE void normalize_some(const float *x, size_t stride, const Norm *norm, int width, float epsilon, int rows,
                                  float *out, size_t out_stride, float *most) {
  float of[ROWS_TOGETHER];
  for (int r = 0; r < rows; r++) of[r] = mean_of(x + r * stride, width);
  for (int r = 0; r < rows; r++) of[r] = centre(x + r * stride, of[r], width, epsilon, out + r * out_stride);
  for (int r = 0; r < rows; r++) most[r] = stretch(out + r * out_stride, of[r], norm, width);
}

static void normalize(float *x, size_t stride, const Norm *norm, int width, float epsilon, int rows) {
  float most[ROWS_TOGETHER];
  IN_FOURS(r, some, rows)
    normalize_some(x + r * stride, stride, norm, width, epsilon, some, x + r * stride, stride, most);
}

// room: buffer of ROWS_TOGETHER rows.
static void normalize_to_bytes(const float *x, size_t stride, const Norm *norm, int width, float epsilon, int rows,
                               float *room, uint8_t *bytes, float *scales) {
  const int depth = rounded_up(width, LANES);
  float most[ROWS_TOGETHER];
  IN_FOURS(r, some, rows) {
    normalize_some(x + r * stride, stride, norm, width, epsilon, some, room, depth, most);
    for (int i = 0; i < some; i++, bytes += depth)
      to_bytes(room + i * depth, depth, most[i], 127.0f, OFFSET, bytes, scales + r + i);
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

// 1 + e^-x
static INLINE Vector sigmoid_divisor(Vector x) { return add(all(1), exponential(smaller(mul(x, all(-1)), all(88)))); }

static INLINE Vector swish(Vector x) { return quotient(x, sigmoid_divisor(x)); }

static INLINE Vector sigmoid(Vector x) { return quotient(all(1), sigmoid_divisor(x)); }

// The activation function, in place, and the bytes. After a ReLU nothing is negative, so there are twice the levels.
static void activate(float *x, size_t stride, int depth, int activation, int rows, uint8_t *bytes, float *scales) {
  if (activation == RELU) {
    for (int r = 0; r < rows; r++, x += stride, bytes += depth)
      to_bytes(x, depth, most_of(x, depth, 0), 255.0f, 0, bytes, scales + r);
    return;
  }
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < depth; i += LANES) {
      const Vector v = load(x + r * stride + i);
      store(x + r * stride + i, activation == GELU ? gelu(v) : swish(v));
    }
  quantize(x, stride, depth, rows, bytes, scales);
}
