// Products of 8-bit activations and weights: exact int32 sums, then floats.

enum { OFFSET = 128 };         // added to activations that may be negative
enum { BLOCK = INTS * WIDE };  // columns that are multiplied together

// Four weights of a column. Those of a block lie one after the other, as [columns / BLOCK][inputs / 4][BLOCK][4]: 1.5
// times the speed of strips of 64 columns for a sentence alone, where a block is smaller (AVX2, 16 columns).
static INLINE int8_t *weights_of(const Linear *l, int column, int quad) {
  return l->weights + 4 * size_of(size_of(column / BLOCK, l->depth / 4) + quad, BLOCK) + column % BLOCK * 4;
}

// M rows times a block of columns, added to c. Each weight is read once.
static INLINE void add_products(const int M, Ints c[ROWS][WIDE], const uint8_t *a, size_t stride, const int8_t *w,
                                int quads) {
  for (int k = 0; k < quads; k++, w += 4 * BLOCK) {
    // A page ahead: with 1 KB, several rows take 3 % longer (AVX2).
#pragma GCC unroll 4
    for (int j = 0; j < BLOCK; j += 16) prefetch(w + 4096 + 4 * j);
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
  for (int k = 0; k < quads; k += 2, w += 8 * BLOCK) {
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) {
      prefetch(w + 1024 + 4 * j * INTS);
      Ints b = load_weights(w + 4 * j * INTS), next = load_weights(w + 4 * (BLOCK + j * INTS));
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

// The sums of a row -> its floats, or added to them.
static INLINE void finish_block(const int add_to, const Ints *c, float scale, const Linear *l, int first, float *out) {
#pragma GCC unroll 4
  for (int j = 0; j < BLOCK; j += LANES) {
    const int column = first + j;
    Vector r = fma_(to_floats(&c[j / INTS]), mul(all(scale), load(l->scale + column)), load(l->bias + column));
    store(out + column, add_to ? add(load(out + column), r) : r);
  }
}

// M rows times one block of columns. The sums of all rows stay in registers.
static INLINE void block(const int M, const int add_to, const uint8_t *a, size_t stride, const float *scales,
                         const Linear *l, int first, float *out, size_t out_stride) {
  const int8_t *weights = weights_of(l, first, 0);
  const int quads = l->depth / 4;
  Ints c[ROWS][WIDE];
#pragma GCC unroll 8
  for (int m = 0; m < M; m++)
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) c[m][j] = load_ints(l->start + first + j * INTS);
#ifdef PAIRS
  if (M % 2 == 0) add_products_of_pairs(M, c, a, stride, weights, quads);
  else
#endif
  add_products(M, c, a, stride, weights, quads);
#pragma GCC unroll 8
  for (int m = 0; m < M; m++) finish_block(add_to, c[m], scales[m], l, first, out + m * out_stride);
}

#ifdef TILES
#include "tiles.c"
#endif

// (R, depth) bytes and their rows' scales -> out (R, columns), or added to it. Rows in even groups of up to ROWS.
static INLINE void all_blocks(const int add_to, const Linear *l, const uint8_t *a, const float *scales, int rows,
                              float *out, size_t out_stride) {
#ifdef TILES
  if (fit_tiles(l, rows)) {
    all_tiles(add_to, l, a, scales, rows, out, out_stride);
    return;
  }
#endif
  const size_t stride = l->depth;
  const int groups = (rows + ROWS - 1) / ROWS;
  for (int first = 0; first < l->columns; first += BLOCK) {
    for (int g = 0, r = 0, m; g < groups; g++, r += m) {
      m = (rows - r + groups - g - 1) / (groups - g);
      const uint8_t *q = a + r * stride;
      float *o = out + r * out_stride;
      switch (m) {
#define CASE(M)                                                                                                       \
  case M:                                                                                                             \
    if (M <= ROWS) block(M <= ROWS ? M : 1, add_to, q, stride, scales + r, l, first, o, out_stride);                  \
    break;
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#undef CASE
      }
    }
  }
}

static void multiply(const Linear *l, const uint8_t *a, const float *scales, int rows, float *out, size_t out_stride) {
  all_blocks(0, l, a, scales, rows, out, out_stride);
}

static void multiply_add(const Linear *l, const uint8_t *a, const float *scales, int rows, float *out,
                         size_t out_stride) {
  all_blocks(1, l, a, scales, rows, out, out_stride);
}
