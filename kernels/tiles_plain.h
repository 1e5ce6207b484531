// Tiles in plain C: the reference for tiles_amx.h, with which every processor tests what is built on them.
typedef union {
  int8_t weights[TILE_ROWS][TILE_BYTES];
  uint8_t bytes[TILE_ROWS][TILE_BYTES];
  int32_t sums[TILE_ROWS][TILE_BYTES / 4];
} Tile;

static _Thread_local struct {
  TileShapes shapes;
  Tile of[8];
} tiles;

static INLINE void shape_tiles(const TileShapes *s) { memset(tiles.of, 0, sizeof tiles.of), tiles.shapes = *s; }
static INLINE void release_tiles(void) {}
static INLINE void load_tile(int t, const void *p, size_t stride) {
  for (int i = 0; i < tiles.shapes.rows[t]; i++)
    memcpy(tiles.of[t].bytes[i], (const char *)p + i * stride, tiles.shapes.bytes[t]);
}
static INLINE void store_tile(int t, void *p, size_t stride) {
  for (int i = 0; i < tiles.shapes.rows[t]; i++)
    memcpy((char *)p + i * stride, tiles.of[t].bytes[i], tiles.shapes.bytes[t]);
}
static INLINE void multiply_tiles(int c, int a, int b) {
  const int rows = tiles.shapes.rows[c], columns = tiles.shapes.bytes[c] / 4, quads = tiles.shapes.rows[b];
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < quads; k++) {
      const uint8_t *four = tiles.of[a].bytes[i] + 4 * k;
      const int8_t *w = tiles.of[b].weights[k];
      int32_t *sums = tiles.of[c].sums[i];
      for (int j = 0; j < columns; j++, w += 4)
        sums[j] += four[0] * w[0] + four[1] * w[1] + four[2] * w[2] + four[3] * w[3];
    }
}
