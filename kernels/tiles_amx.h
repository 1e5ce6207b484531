// Tiles on processors with AMX: registers of 16 rows of 64 bytes, and the product of two. Intel's "Architectures
// Software Developer's Manual", volume 1, chapter "Programming with Intel AMX". Every tiles_*.h defines the same names.

// The instructions themselves, because gcc 11 and 12 don't know that its intrinsics read memory.
static INLINE void shape_tiles(const TileShapes *s) { __asm__ volatile("ldtilecfg %0" : : "m"(*s)); }
static INLINE void release_tiles(void) { __asm__ volatile("tilerelease"); } // nothing to keep when threads change
#define load_tile(T, P, STRIDE)                                                                                       \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #T : : "r"(P), "r"((size_t)(STRIDE)) : "memory")
#define store_tile(T, P, STRIDE)                                                                                      \
  __asm__ volatile("tilestored %%tmm" #T ", (%0,%1,1)" : : "r"(P), "r"((size_t)(STRIDE)) : "memory")
// C += A B: int32, and bytes without and with a sign
#define multiply_tiles(C, A, B) __asm__ volatile("tdpbusd %%tmm" #B ", %%tmm" #A ", %%tmm" #C : :)
