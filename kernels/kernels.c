// All kernels, for one instruction set: compiled once for each, with KERNELS, the vectors and the target's flags.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#define INLINE inline __attribute__((always_inline))
#include VECTORS

static INLINE int rounded_up(int n, int block) { return (n + block - 1) / block * block; }
static INLINE size_t size_of(int64_t a, int64_t b) { return (size_t)a * (size_t)b; }

#include "products.c"
#include "norms.c"
#include "attention.c"
#include "packing.c"
#include "layers.c"
#include "search.c"

const Kernels KERNELS = {NAME, pack, encode, search};
