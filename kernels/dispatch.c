// Finds out which kernels the processor can run. It asks the processor with CPUID, because __builtin_cpu_supports finds
// nothing when zig compiles it.
#include <string.h>

#include "model.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

// The registers that the operating system keeps for a program.
__attribute__((target("xsave"))) static uint64_t kept_registers(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | (uint64_t)high << 32;
}

// Linux keeps the tiles (state component 18, 8 KB a thread) only for processes that ask for them: "Using XSTATE features
// in user space applications" in the kernel's documentation. They may not, if a thread's stack for signals is too small.
static int may_use_tiles(void) {
  enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
  return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA);
}

static int runs(const Kernels *k) {
  unsigned a, b, c, d, b7, c7, d7, a71, rest;
  if (k == &kernels_plain) return 1;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  if (k == &kernels_sse41) return c >> 9 & c >> 19 & 1; // SSSE3, SSE4.1
  if (!(c >> 27 & 1)) return 0;
  const uint64_t kept = kept_registers();
  const int fma_and_half = c >> 12 & c >> 29 & 1;
  if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d7)) return 0;
  const int avx2 = fma_and_half && b7 >> 5 & 1 && (kept & 0x06) == 0x06;
  if (k == &kernels_avx2) return avx2;
  const int avx512 = avx2 && b7 >> 16 & b7 >> 17 & b7 >> 30 & b7 >> 31 & c7 >> 11 & 1 && (kept & 0xe6) == 0xe6;
  if (k == &kernels_avx512vnni) return avx512; // foundation, DQ, BW, VL, VNNI
  if (k == &kernels_amx) return avx512 && d7 >> 24 & d7 >> 25 & 1 && (kept & 0x60000) == 0x60000 && may_use_tiles();
  if (!__get_cpuid_count(7, 1, &a71, &rest, &rest, &rest)) return 0;
  return avx2 && a71 >> 4 & 1;
}

static const Kernels *const best_first[] = {&kernels_amx,  &kernels_avx512vnni, &kernels_avxvnni,
                                            &kernels_avx2, &kernels_sse41,      &kernels_plain};

#elif defined(__aarch64__)
#include <sys/auxv.h>

static int runs(const Kernels *k) {
  const int dot_products = getauxval(AT_HWCAP) >> 20 & 1, matrix_products = getauxval(AT_HWCAP2) >> 13 & 1;
  return k == &kernels_plain || k == &kernels_neonv8 || (dot_products && (k == &kernels_neon || matrix_products));
}

static const Kernels *const best_first[] = {&kernels_neoni8mm, &kernels_neon, &kernels_neonv8, &kernels_plain};
#endif

const Kernels *choose_kernels(const char *name) {
  for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++) {
    const Kernels *k = best_first[i];
    if (runs(k) && (!name || !strcmp(name, k->name))) return k;
  }
  return NULL;
}
