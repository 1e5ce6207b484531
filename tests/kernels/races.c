// For ThreadSanitizer: several workers share two operators, as those of a model do, from the first run on, which packs the
// weights; meanwhile two other threads open and close operators. Every result must be that of a worker alone.
//     races SECONDS WORKERS
#include <pthread.h>
#include <time.h>

#include "runtime.h"

enum { SOURCES = 3, LENGTH = 7, BEAMS = 4, STEPS = 5, MOST_WORKERS = 16, OPENERS = 2, PLACES = SOURCES * (LENGTH + BEAMS * STEPS) };
static const Sizes encoder = {.width = 40, .heads = 5, .feed_forward = 72, .layers = 2, .vocabulary = 90, .positions = 12,
                              .pre_norm = 1, .cross_layers = 2};
static Sizes decoder; // the same, and:

static void *encode, *decode; // shared
static pthread_barrier_t start;
static const char *set_name;
static _Atomic int opening;

static void *open_kernel(const Sizes *s) {
  OrtKernelInfo info = attributes_of(s);
  void *kernel;
  const OrtCustomOp *op = operators[s->decoder];
  OrtStatus *status = op->CreateKernelV2(op, &small_api, &info, &kernel);
  if (status) printf("%s\n", status->message), exit(1);
  return kernel;
}

static void *add(OrtKernelContext *c, int type, size_t axes, int64_t a, int64_t b, int64_t d) {
  OrtValue *v = &c->inputs[c->count++];
  *v = (OrtValue){type, axes, {a, b, d}, NULL};
  allocate_value(v);
  return v->data;
}

static void run(int which, void *kernel, OrtKernelContext *c) {
  OrtStatus *status = operators[which]->KernelComputeV2(kernel, c);
  if (status) printf("%s\n", status->message), exit(1);
}

static uint64_t mix(uint64_t sum, const void *data, size_t bytes) { // FNV-1a
  for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const uint8_t *)data)[i]) * 1099511628211u;
  return sum;
}

// Translates some sentences with the shared operators; returns a checksum of the results.
static uint64_t translate(const OrtKernelContext *encoder_weights, const OrtKernelContext *decoder_weights) {
  OrtKernelContext e = {0}, d = {.in_place = 1};
  int64_t *ids = add(&e, INT64, 1, SOURCES * LENGTH, 0, 0), *lengths = add(&e, INT64, 1, SOURCES, 0, 0);
  for (int i = 0; i < SOURCES * LENGTH; i++) ids[i] = (i * 37 + 3) % encoder.vocabulary;
  for (int i = 0; i < SOURCES; i++) lengths[i] = LENGTH;
  memcpy(e.inputs + e.count, encoder_weights->inputs, encoder_weights->count * sizeof *e.inputs);
  e.count += encoder_weights->count;
  run(0, encode, &e);
  float *memory = add(&d, FLOAT, 3, 2 * encoder.layers, PLACES, encoder.width);
  for (int l = 0; l < 2 * encoder.layers; l++)
    memcpy(memory + l * PLACES * encoder.width, (float *)e.outputs[0].data + l * SOURCES * LENGTH * encoder.width,
           sizeof(float) * SOURCES * LENGTH * (size_t)encoder.width);
  int64_t *rows = add(&d, INT64, 2, SOURCES, 2, 0);
  for (int i = 0; i < SOURCES; i++) rows[2 * i] = 1;
  add(&d, DOUBLE, 1, SOURCES, 0, 0);
  add(&d, INT32, 2, SOURCES, STEPS, 0);
  int64_t *sentences = add(&d, INT64, 2, SOURCES, 3, 0);
  int32_t *sources = add(&d, INT32, 2, SOURCES, LENGTH, 0), *fresh = add(&d, INT32, 2, SOURCES * BEAMS, STEPS, 0);
  for (int i = 0; i < SOURCES; i++) sentences[3 * i] = 1, sentences[3 * i + 1] = BEAMS, sentences[3 * i + 2] = LENGTH;
  for (int i = 0; i < SOURCES * LENGTH; i++) sources[i] = i;
  for (int i = 0; i < SOURCES * BEAMS * STEPS; i++) fresh[i] = SOURCES * LENGTH + i;
  double *thresholds = add(&d, DOUBLE, 1, SOURCES, 0, 0);
  for (int i = 0; i < SOURCES; i++) thresholds[i] = 5;
  add(&d, INT64, 0, 0, 0, 0);
  int32_t *nodes = add(&d, INT32, 2, 4, 4, 0), *roots = add(&d, INT32, 2, SOURCES, LENGTH, 0);
  nodes[6] = 2, nodes[8] = 7, nodes[10] = 3, nodes[12] = 9, nodes[15] = ENDS; // a word with one translation of two tokens
  for (int i = 0; i < SOURCES * LENGTH; i += 2) roots[i] = 1;
  add(&d, INT64, 2, SOURCES, 2, 0);
  const size_t own = d.count;
  memcpy(d.inputs + d.count, decoder_weights->inputs, decoder_weights->count * sizeof *d.inputs);
  d.count += decoder_weights->count;
  run(1, decode, &d);
  uint64_t sum = 14695981039346656037u;
  for (int i = 0; i < 5; i++) sum = mix(sum, d.outputs[i].data, (size_t)numbers_of(d.outputs + i) * bytes_of(d.outputs[i].type));
  e.count = 2, d.count = own; // the weights are shared
  release_values(&e), release_values(&d);
  return sum;
}

static OrtKernelContext weights[2];

static void *work(void *sum) {
  pthread_barrier_wait(&start);
  for (int i = 0; i < 4; i++) ((uint64_t *)sum)[i] = translate(&weights[0], &weights[1]);
  return NULL;
}

// What happens when another model is loaded meanwhile.
static void *open_others(void *unused) {
  pthread_barrier_wait(&start);
  while (opening) {
    RegisterCustomOps(NULL, &small_base);
    dragoman_kernels(set_name);
    void *kernel = open_kernel(&encoder);
    operators[0]->KernelDestroy(kernel);
  }
  return unused;
}

static void round_of(int workers, uint64_t expected) {
  uint64_t sums[MOST_WORKERS][4];
  pthread_t threads[MOST_WORKERS + OPENERS];
  encode = open_kernel(&encoder), decode = open_kernel(&decoder);
  pthread_barrier_init(&start, NULL, (unsigned)workers + OPENERS);
  opening = 1;
  for (int i = 0; i < OPENERS; i++) pthread_create(&threads[workers + i], NULL, open_others, NULL);
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], NULL, work, sums[i]);
  for (int i = 0; i < workers; i++) pthread_join(threads[i], NULL);
  opening = 0;
  for (int i = 0; i < OPENERS; i++) pthread_join(threads[workers + i], NULL);
  pthread_barrier_destroy(&start);
  operators[0]->KernelDestroy(encode), operators[1]->KernelDestroy(decode);
  for (int i = 0; i < workers; i++)
    for (int j = 0; j < 4; j++)
      if (sums[i][j] != expected) printf("%s: a worker among others computes something else\n", set_name), exit(1);
}

int main(int count, char **words) {
  static const char *const sets[] = {"plain", "sse41", "avx2", "avxvnni", "avx512vnni", "neonv8", "neon", "neoni8mm"};
  const double seconds = count > 1 ? atof(words[1]) : 10;
  const int workers = count > 2 ? atoi(words[2]) : 4;
  if (workers < 1 || workers > MOST_WORKERS) return 2;
  decoder = encoder, decoder.decoder = 1, decoder.eos = 2, decoder.alignment_layer = 1, decoder.alignment_head = 2;
  RegisterCustomOps(NULL, &small_base);
  int rounds = 0;
  const time_t end = time(NULL) + (time_t)seconds;
  do
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
      if (!*dragoman_kernels(set_name = sets[i])) continue;
      decoder.recurrent = rounds & 1;
      for (int j = 0; j < 2; j++) weights[j] = (OrtKernelContext){0}, add_weights(&weights[j], j ? &decoder : &encoder, 7);
      encode = open_kernel(&encoder), decode = open_kernel(&decoder);
      const uint64_t expected = translate(&weights[0], &weights[1]);
      operators[0]->KernelDestroy(encode), operators[1]->KernelDestroy(decode);
      round_of(workers, expected);
      for (int j = 0; j < 2; j++) release_values(&weights[j]);
      rounds++;
    }
  while (time(NULL) < end);
  printf("%d rounds of %d workers\n", rounds, workers);
  return 0;
}
