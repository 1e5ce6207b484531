// Eight registers of 16 rows of 64 bytes, of which an instruction multiplies two: those of AMX, or the same in plain C.
#pragma once

enum { TILE_ROWS = 16, TILE_BYTES = 64 };

// As LDTILECFG reads them.
typedef struct {
  uint8_t palette, first_row, reserved[14];
  uint16_t bytes[16]; // of a row of each tile
  uint8_t rows[16];
} TileShapes;
#include TILES

// Tiles 0 to 3 for sums, 4 and 5 for activations, all of so many rows; 6 and 7 for weights.
static INLINE void begin_tiles(int rows) {
  TileShapes shapes = {.palette = 1};
  for (int t = 0; t < 8; t++) shapes.bytes[t] = TILE_BYTES, shapes.rows[t] = t < 6 ? rows : TILE_ROWS;
  shape_tiles(&shapes);
}
