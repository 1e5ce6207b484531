// Products of 8-bit activations and weights: exact int32 sums, then floats.

enum { OFFSET = 128 }; // added to activations that may be negative

// M rows times INTS * WIDE columns of a strip, added to c. Each weight is read once.
static INLINE void add_products(const int M, Ints c[ROWS][WIDE], const uint8_t *a, size_t stride, const int8_t *w,
                                int quads) {
  for (int k = 0; k < quads; k++, w += 4 * STRIP) {
    // A single row waits for the cache: prefetch a page ahead, four cache lines a step.
#pragma GCC unroll 4
    for (int j = 0; j < INTS * WIDE; j += 16) prefetch(w + (M == 1 ? 4096 : 1024) + 4 * j);
    Ints b[WIDE];
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) b[j] = load_weights(w + 4 * j * INTS);
#pragma GCC unroll 8
    for (int m = 0; m < M; m++) {
      Ints four = broadcast(a + m * stride + 4 * k);
#pragma GCC unroll 8
      for (int j = 0; j < WIDE; j++) c[m][j] = dot(c[m][j], four, b[j]);
    }
  }
}

#ifdef PAIRS
// The same for an even M: two rows times two columns, eight inputs at a time.
static INLINE void add_products_of_pairs(const int M, Ints c[ROWS][WIDE], const uint8_t *a, size_t stride,
                                         const int8_t *w, int quads) {
  Ints p[ROWS][WIDE]; // of rows m and m + 1: in p[m] their first two of four columns, in p[m + 1] the other two
#pragma GCC unroll 8
  for (int m = 0; m < M; m += 2)
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++)
      p[m][j] = first_halves(c[m][j], c[m + 1][j]), p[m + 1][j] = last_halves(c[m][j], c[m + 1][j]);
  for (int k = 0; k < quads; k += 2, w += 8 * STRIP) {
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) {
      prefetch(w + 1024 + 4 * j * INTS);
      Ints b = load_weights(w + 4 * j * INTS), next = load_weights(w + 4 * (STRIP + j * INTS));
      Ints first = first_columns(b, next), last = last_columns(b, next);
#pragma GCC unroll 8
      for (int m = 0; m < M; m += 2) {
        Ints rows = two_rows(a + m * stride + 4 * k, stride);
        p[m][j] = dot_pairs(p[m][j], rows, first), p[m + 1][j] = dot_pairs(p[m + 1][j], rows, last);
      }
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < M; m += 2)
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++)
      c[m][j] = first_halves(p[m][j], p[m + 1][j]), c[m + 1][j] = last_halves(p[m][j], p[m + 1][j]);
}
#endif

// M rows times one strip of 64 columns. The sums of all rows stay in registers.
static INLINE void strip(const int M, const int add_to, const uint8_t *a, size_t stride, const float *scales,
                         const Linear *l, int first, float *out, size_t out_stride) {
  const int8_t *weights = l->weights + size_of(first, l->depth);
  const int quads = l->depth / 4;
  for (int part = 0; part < STRIP; part += INTS * WIDE) {
    Ints c[ROWS][WIDE];
#pragma GCC unroll 8
    for (int m = 0; m < M; m++)
#pragma GCC unroll 8
      for (int j = 0; j < WIDE; j++) c[m][j] = load_ints(l->start + first + part + j * INTS);
#ifdef PAIRS
    if (M % 2 == 0) add_products_of_pairs(M, c, a, stride, weights + 4 * part, quads);
    else
#endif
    add_products(M, c, a, stride, weights + 4 * part, quads);
#pragma GCC unroll 8
    for (int m = 0; m < M; m++) {
      Vector scale = all(scales[m]);
#pragma GCC unroll 4
      for (int j = 0; j < INTS * WIDE; j += LANES) {
        int column = first + part + j;
        float *o = out + m * out_stride + column;
        Vector r = fma_(to_floats(&c[m][j / INTS]), mul(scale, load(l->scale + column)), load(l->bias + column));
        store(o, add_to ? add(load(o), r) : r);
      }
    }
  }
}

// (R, depth) bytes and their rows' scales -> out (R, columns), or added to it. Rows in even blocks of up to ROWS.
static INLINE void all_strips(const int add_to, const Linear *l, const uint8_t *a, const float *scales, int rows,
                              float *out, size_t out_stride) {
  const size_t stride = l->depth;
  const int blocks = (rows + ROWS - 1) / ROWS;
  for (int first = 0; first < l->columns; first += STRIP) {
    for (int b = 0, r = 0, m; b < blocks; b++, r += m) {
      m = (rows - r + blocks - b - 1) / (blocks - b);
      const uint8_t *q = a + r * stride;
      float *o = out + r * out_stride;
      switch (m) {
#define CASE(M)                                                                                                       \
  case M:                                                                                                             \
    if (M <= ROWS) strip(M <= ROWS ? M : 1, add_to, q, stride, scales + r, l, first, o, out_stride);                  \
    break;
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#undef CASE
      }
    }
  }
}

static void multiply(const Linear *l, const uint8_t *a, const float *scales, int rows, float *out, size_t out_stride) {
  all_strips(0, l, a, scales, rows, out, out_stride);
}

static void multiply_add(const Linear *l, const uint8_t *a, const float *scales, int rows, float *out,
                         size_t out_stride) {
  all_strips(1, l, a, scales, rows, out, out_stride);
}
