// Prints a checksum of everything that six random models compute, for each instruction set that this processor has: two
// sizes, with each activation function. They must be equal: between sets, and, where this runs under an emulator, between processors.
//     checksums [SET]
// With the name of a set it counts the instructions that a batch takes, and prints nothing else.
#include <signal.h>

#include "translation.h"

static volatile long long instructions;
static volatile int counts;
static void count_one(int number) { (void)number, instructions++; }

// Switches the processor's trap flag, with which it stops after each instruction, on or off. No machine's other guests
// change their number, and no rights are needed, as they are for a processor's counters.
static void switch_counting(void) {
#if defined(__x86_64__)
  uint64_t flags;
  __asm__ volatile("pushfq\n\tpop %0" : "=r"(flags));
  counts = !counts;
  flags = counts ? flags | 0x100 : flags & ~0x100ull;
  __asm__ volatile("push %0\n\tpopfq" : : "r"(flags) : "cc", "memory");
#endif
}

int main(int count, char **words) {
  static const char *const sets[] = {"plain", "sse41", "avx2", "avxvnni", "avx512vnni", "amx", "neonv8", "neon", "neoni8mm"};
  RegisterCustomOps(NULL, &small_base);
  signal(SIGTRAP, count_one);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    if ((count > 1 && strcmp(sets[i], words[1])) || !*dragoman_kernels(sets[i])) continue;
    for (int test = 0; test < (count > 1 ? 1 : 6); test++) {
      const int activation = test % 3, tiled = test / 3; // tiles of AMX take widths that are multiples of 64
      Sizes sizes = {.width = tiled ? 128 : 72, .heads = tiled ? 4 : 3, .feed_forward = tiled ? 192 : 200, .layers = 2,
                     .vocabulary = 300, .positions = 40, .pre_norm = 1, .activation = activation, .alignment_layer = -1,
                     .cross_layers = 2};
      Operator encoder = open_operator(sizes);
      sizes.decoder = 1, sizes.eos = 2, sizes.alignment_layer = 1, sizes.alignment_head = 2;
      Operator decoder = open_operator(sizes);
      const Batch batch = tiled ? (Batch){6, 23, 4, 9} : (Batch){2, 17, 4, 9}; // at most 53 and 24 rows, or 25 and 8
      const uint64_t sum = translate(&encoder, &decoder, batch, NULL);         // the first run packs the weights
      if (count > 1) translate(&encoder, &decoder, (Batch){1, 4, 4, 1}, switch_counting), printf("%lld\n", instructions);
      else printf("%s %d %016llx\n", sets[i], test, (unsigned long long)sum);
      close_operator(&encoder), close_operator(&decoder);
    }
  }
  return 0;
}
