// What a core can do at most with one instruction set: prints 8-bit multiply-adds a second, the inner loop of the products
// out of the first-level cache, and the bytes a second that it reads of so much memory as the argument says, again and
// again. Both are the best of many tries, in processor time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"
#define INLINE inline __attribute__((always_inline))
#include VECTORS
#ifdef TILES
#include "tiles.h"
#endif

enum { TRIES = 50, TIMES = 20000, AHEAD = 4096 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int32_t sink[64];

#ifdef TILES
enum { AT_ONCE = 32 * 32 * 64 }; // two tiles of rows times two of columns, see kernels/tiles.c

static void multiply_add(const uint8_t *bytes, const int8_t *weights) {
  begin_tiles(TILE_ROWS);
  for (int time = 0; time < TIMES; time++) {
    load_tile(4, bytes, 64);
    load_tile(6, weights, 64);
    multiply_tiles(0, 4, 6);
    load_tile(7, weights + 1024, 64);
    multiply_tiles(1, 4, 7);
    load_tile(5, bytes + 1024, 64);
    multiply_tiles(2, 5, 6);
    multiply_tiles(3, 5, 7);
  }
  release_tiles();
}
#else
enum { AT_ONCE = 4 * INTS * ROWS * WIDE };

static void multiply_add(const uint8_t *bytes, const int8_t *weights) {
  Ints sums[ROWS][WIDE];
#pragma GCC unroll 8
  for (int m = 0; m < ROWS; m++)
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) sums[m][j] = load_ints(sink);
  for (int time = 0; time < TIMES; time++) {
    __asm__ volatile("" ::: "memory"); // the operands are read each time
    Ints w[WIDE];
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) w[j] = load_weights(weights + 4 * INTS * j);
#pragma GCC unroll 8
    for (int m = 0; m < ROWS; m++) {
      const Ints four = broadcast(bytes + 4 * m);
#pragma GCC unroll 8
      for (int j = 0; j < WIDE; j++) sums[m][j] = dot(sums[m][j], four, w[j]);
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < ROWS; m++)
#pragma GCC unroll 8
    for (int j = 0; j < WIDE; j++) {
      const Ints sum = sums[m][j];
      memcpy(sink, &sum, sizeof sum);
      __asm__ volatile("" ::: "memory");
    }
}
#endif

static void read_all(const float *data, size_t count) {
  Vector most[4] = {all(0), all(0), all(0), all(0)};
  for (size_t i = 0; i < count; i += 4 * LANES)
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++) {
      prefetch(data + i + LANES * j + AHEAD / sizeof *data);
      most[j] = larger(load(data + i + LANES * j), most[j]);
    }
  float found[LANES];
  store(found, larger(larger(most[0], most[1]), larger(most[2], most[3])));
  memcpy(sink, found, sizeof found);
  __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv) {
  const size_t count = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1 << 22) / sizeof(float) / 64 * 64;
  float *data = calloc(count + AHEAD, sizeof *data);
  static uint8_t bytes[2048];
  static int8_t weights[2048];
  if (!data) return 1;
  memset(data, 1, count * sizeof *data);
  double multiplying = 1e9, reading = 1e9;
  for (int try = 0; try < TRIES; try++) {
    double began = now();
    multiply_add(bytes, weights);
    multiplying = fmin(multiplying, now() - began);
    began = now();
    read_all(data, count);
    reading = fmin(reading, now() - began);
  }
  printf("%.6g %.6g\n", (double)TIMES * AT_ONCE / multiplying, (double)(count * sizeof *data) / reading);
  return 0;
}
