// Tiles in plain C: the reference for tiles_amx.h, with which every processor tests what is built on them.

static _Thread_local struct {
  TileShapes shapes;
  int8_t bytes[8][16][64];
} tiles;

static INLINE void shape_tiles(const TileShapes *s) { memset(tiles.bytes, 0, sizeof tiles.bytes), tiles.shapes = *s; }
static INLINE void release_tiles(void) {}
static INLINE void load_tile(int t, const void *p, size_t stride) {
  for (int i = 0; i < tiles.shapes.rows[t]; i++)
    memcpy(tiles.bytes[t][i], (const char *)p + i * stride, tiles.shapes.bytes[t]);
}
static INLINE void store_tile(int t, void *p, size_t stride) {
  for (int i = 0; i < tiles.shapes.rows[t]; i++)
    memcpy((char *)p + i * stride, tiles.bytes[t][i], tiles.shapes.bytes[t]);
}
static INLINE void multiply_tiles(int c, int a, int b) {
  for (int i = 0; i < tiles.shapes.rows[c]; i++)
    for (int j = 0; j < tiles.shapes.bytes[c] / 4; j++) {
      int32_t sum;
      memcpy(&sum, tiles.bytes[c][i] + 4 * j, 4);
      for (int k = 0; k < tiles.shapes.bytes[a]; k++)
        sum += (uint8_t)tiles.bytes[a][i][k] * tiles.bytes[b][k / 4][4 * j + k % 4];
      memcpy(tiles.bytes[c][i] + 4 * j, &sum, 4);
    }
}
