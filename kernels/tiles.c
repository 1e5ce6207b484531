// Products of many rows by tiles: registers of 16 rows of 64 bytes, of which AMX multiplies two in an instruction. Sums
// are whole numbers, so the results are those of `block`, to the last bit. Weights lie as `block` reads them: of a block
// of 64 columns, 16 columns of 64 inputs are a tile, whose rows are 256 bytes apart.
#include "tiles.h"

enum { LEAST_TILED = 8 }; // rows
_Static_assert(BLOCK == 64, "four tiles of columns are a block");

// Sums of a tile of rows and a block of columns. A tile of activations is read once.
static void tile_of_rows(const uint8_t *a, size_t stride, const Linear *l, int first, int32_t *sums) {
  const int8_t *w = weights_of(l, first, 0);
  const int32_t *start = l->start + first;
  load_tile(0, start, 0); // the same for all rows
  load_tile(1, start + 16, 0);
  load_tile(2, start + 32, 0);
  load_tile(3, start + 48, 0);
  for (int k = 0; k < l->depth; k += TILE_BYTES, w += TILE_BYTES * BLOCK) {
    load_tile(4, a + k, stride);
    load_tile(6, w, 4 * BLOCK);
    multiply_tiles(0, 4, 6);
    load_tile(7, w + 64, 4 * BLOCK);
    multiply_tiles(1, 4, 7);
    load_tile(6, w + 128, 4 * BLOCK);
    multiply_tiles(2, 4, 6);
    load_tile(7, w + 192, 4 * BLOCK);
    multiply_tiles(3, 4, 7);
  }
  store_tile(0, sums, 4 * BLOCK);
  store_tile(1, sums + 16, 4 * BLOCK);
  store_tile(2, sums + 32, 4 * BLOCK);
  store_tile(3, sums + 48, 4 * BLOCK);
}

// The same for two tiles of rows, half a block at a time: each tile that is read is multiplied twice.
static void two_tiles_of_rows(const uint8_t *a, const uint8_t *b, size_t stride, const Linear *l, int first,
                              int32_t *sums) {
  int32_t *next = sums + TILE_ROWS * BLOCK;
  for (int j = 0; j < BLOCK; j += 32) {
    const int8_t *w = weights_of(l, first + j, 0);
    const int32_t *start = l->start + first + j;
    load_tile(0, start, 0);
    load_tile(1, start + 16, 0);
    load_tile(2, start, 0);
    load_tile(3, start + 16, 0);
    for (int k = 0; k < l->depth; k += TILE_BYTES, w += TILE_BYTES * BLOCK) {
      load_tile(4, a + k, stride);
      load_tile(6, w, 4 * BLOCK);
      multiply_tiles(0, 4, 6);
      load_tile(7, w + 64, 4 * BLOCK);
      multiply_tiles(1, 4, 7);
      load_tile(5, b + k, stride);
      multiply_tiles(2, 5, 6);
      multiply_tiles(3, 5, 7);
    }
    store_tile(0, sums + j, 4 * BLOCK);
    store_tile(1, sums + j + 16, 4 * BLOCK);
    store_tile(2, next + j, 4 * BLOCK);
    store_tile(3, next + j + 16, 4 * BLOCK);
  }
}

static INLINE void finish_sums(const int add_to, const int32_t *sums, float scale, const Linear *l, int first,
                               float *out) {
  Ints c[WIDE];
#pragma GCC unroll 4
  for (int j = 0; j < WIDE; j++) c[j] = load_ints(sums + j * INTS);
  finish_block(add_to, c, scale, l, first, out);
}

static INLINE int fit_tiles(const Linear *l, int rows) { return rows >= LEAST_TILED && l->depth % TILE_BYTES == 0; }

// As all_blocks, if the rows fit. The last tile of rows is whole, too: it begins earlier, and multiplies some rows a
// second time. Their sums are not written again.
static INLINE void all_tiles(const int add_to, const Linear *l, const uint8_t *a, const float *scales, int rows,
                             float *out, size_t out_stride) {
  const size_t stride = l->depth;
  const int whole = rows < TILE_ROWS ? rows : TILE_ROWS;
  _Alignas(64) int32_t sums[2 * TILE_ROWS * BLOCK];
  begin_tiles(whole);
  for (int first = 0; first < l->columns; first += BLOCK) {
    for (int r = 0; r < rows;) {
      // where the two tiles begin
      const int one = r + whole <= rows ? r : rows - whole, other = r + 2 * whole <= rows ? r + whole : rows - whole;
      if (other > one) two_tiles_of_rows(a + one * stride, a + other * stride, stride, l, first, sums);
      else tile_of_rows(a + one * stride, stride, l, first, sums);
      for (; r < one + whole; r++)
        finish_sums(add_to, sums + (r - one) * BLOCK, scales[r], l, first, out + r * out_stride);
      for (; r < other + whole; r++)
        finish_sums(add_to, sums + (TILE_ROWS + r - other) * BLOCK, scales[r], l, first, out + r * out_stride);
    }
  }
  release_tiles();
}
