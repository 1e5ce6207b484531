// For ThreadSanitizer: several workers share two operators, as those of a model do, from the first run on, which packs the
// weights; meanwhile two other threads open and close operators. Every result must be that of a worker alone.
//     races SECONDS WORKERS
#include <pthread.h>
#include <time.h>

#include "translation.h"

enum { MOST_WORKERS = 16, OPENERS = 2 };
static const Batch batch = {.sources = 3, .length = 7, .beams = 4, .steps = 5};
static const Sizes encoder_sizes = {.width = 40, .heads = 5, .feed_forward = 72, .layers = 2, .vocabulary = 90, .positions = 12,
                                    .pre_norm = 1, .cross_layers = 2};
static Sizes decoder_sizes; // the same, and:

static Operator encoder, decoder; // shared
static pthread_barrier_t start;
static const char *set_name;
static _Atomic int opening;

static void open_both(void) { encoder = open_operator(encoder_sizes), decoder = open_operator(decoder_sizes); }

static void *work(void *sum) {
  pthread_barrier_wait(&start);
  for (int i = 0; i < 4; i++) ((uint64_t *)sum)[i] = translate(&encoder, &decoder, batch, NULL);
  return NULL;
}

// What happens when another model is loaded meanwhile.
static void *open_others(void *unused) {
  pthread_barrier_wait(&start);
  while (opening) {
    RegisterCustomOps(NULL, &small_base);
    dragoman_kernels(set_name);
    void *kernel = open_kernel(&encoder_sizes);
    operators[0]->KernelDestroy(kernel);
  }
  return unused;
}

static void round_of(int workers, uint64_t expected) {
  uint64_t sums[MOST_WORKERS][4];
  pthread_t threads[MOST_WORKERS + OPENERS];
  open_both();
  pthread_barrier_init(&start, NULL, (unsigned)workers + OPENERS);
  opening = 1;
  for (int i = 0; i < OPENERS; i++) pthread_create(&threads[workers + i], NULL, open_others, NULL);
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], NULL, work, sums[i]);
  for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
  opening = 0;
  for (int i = 0; i < OPENERS; i++) pthread_join(threads[workers + i], NULL);
  pthread_barrier_destroy(&start);
  close_operator(&encoder), close_operator(&decoder);
  for (int i = 0; i < workers; i++)
    for (int j = 0; j < 4; j++)
      if (sums[i][j] != expected) printf("%s: a worker among others computes something else\n", set_name), exit(1);
}

int main(int count, char **words) {
  static const char *const sets[] = {"plain", "sse41", "avx2", "avxvnni", "avx512vnni", "amx", "neonv8", "neon", "neoni8mm"};
  const double seconds = count > 1 ? atof(words[1]) : 10;
  const int workers = count > 2 ? atoi(words[2]) : 4;
  if (workers < 1 || workers > MOST_WORKERS) return 2;
  decoder_sizes = encoder_sizes, decoder_sizes.decoder = 1, decoder_sizes.eos = 2;
  decoder_sizes.alignment_layer = 1, decoder_sizes.alignment_head = 2;
  RegisterCustomOps(NULL, &small_base);
  int rounds = 0;
  const time_t end = time(NULL) + (time_t)seconds;
  do
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
      if (!*dragoman_kernels(set_name = sets[i])) continue;
      decoder_sizes.recurrent = rounds & 1;
      open_both();
      const uint64_t expected = translate(&encoder, &decoder, batch, NULL);
      close_operator(&encoder), close_operator(&decoder);
      round_of(workers, expected);
      rounds++;
    }
  while (time(NULL) < end);
  printf("%d rounds of %d workers\n", rounds, workers);
  return 0;
}
