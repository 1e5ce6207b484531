// Prints a checksum of everything that a random model computes, for each instruction set that this processor has. They
// must be equal: between sets, and, where this runs under an emulator, between processors.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static int counted; // by instructions.c

static uint64_t state = 88172645463325252u;
static uint32_t random_number(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)(state >> 32);
}

static uint64_t mix(uint64_t sum, const void *data, size_t bytes) { // FNV-1a
  for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const uint8_t *)data)[i]) * 1099511628211u;
  return sum;
}

static Tensor halves(int64_t rows, int64_t columns) { // float16 between -1/4 and 1/4
  uint16_t *data = malloc((size_t)(rows * columns) * 2);
  for (int64_t i = 0; i < rows * columns; i++) data[i] = (uint16_t)((random_number() & 0x83ff) | (random_number() % 13 << 10));
  return (Tensor){data, rows, columns, 1};
}

static Tensor floats(int64_t columns, float middle) {
  float *data = malloc((size_t)columns * 4);
  for (int64_t i = 0; i < columns; i++) data[i] = middle + (float)(random_number() % 1000) / 10000;
  return (Tensor){data, 1, columns, 0};
}

enum { WIDTH = 72, HEADS = 3, INNER = 200, LAYERS = 2, VOCABULARY = 300, POSITIONS = 40, SOURCE = 17, BEAMS = 4, STEPS = 9 };

static int tensors_of(int decoder, Tensor *t) {
  int n = 0;
  t[n++] = halves(VOCABULARY, WIDTH);
  Tensor positions = floats(POSITIONS * WIDTH, 0);
  t[n++] = (Tensor){positions.data, POSITIONS, WIDTH, 0};
#define NORM t[n++] = floats(WIDTH, 1), t[n++] = floats(WIDTH, 0);
#define LINEAR(INPUTS, OUTPUTS) t[n++] = halves(INPUTS, OUTPUTS), t[n++] = floats(OUTPUTS, 0);
  for (int i = 0; i < LAYERS; i++) {
    NORM LINEAR(WIDTH, 3 * WIDTH) LINEAR(WIDTH, WIDTH)
    if (decoder) { NORM LINEAR(WIDTH, WIDTH) LINEAR(WIDTH, WIDTH) }
    NORM LINEAR(WIDTH, INNER) LINEAR(INNER, WIDTH)
  }
  NORM
  if (decoder) { LINEAR(VOCABULARY, WIDTH) t[n - 1] = floats(VOCABULARY, 0); }
  else { LINEAR(WIDTH, 2 * LAYERS * WIDTH) }
  return n;
}

static uint64_t checksum(const Kernels *k, int activation, const Tensor *encoder, int encoder_count, const Tensor *decoder,
                         int decoder_count) {
  Model e = {.width = WIDTH, .heads = HEADS, .feed_forward = INNER, .depth = LAYERS, .vocabulary = VOCABULARY,
             .positions = POSITIONS, .pre_norm = 1, .activation = activation, .cross_layers = LAYERS, .alignment_layer = -1,
             .embedding_scale = 8, .epsilon = 1e-5f};
  Model d = e;
  d.decoder = 1, d.alignment_layer = 1, d.alignment_head = 2, d.eos = 2;
  const char *error = k->pack(&e, encoder, encoder_count);
  if (!error) error = k->pack(&d, decoder, decoder_count);
  int64_t ids[SOURCE], lengths[2] = {SOURCE - 1, 1};
  for (int i = 0; i < SOURCE; i++) ids[i] = (i * 37 + 3) % VOCABULARY;
  enum { PLACES = SOURCE + 2 * BEAMS * STEPS };
  float *features = malloc(sizeof(float) * 2 * LAYERS * SOURCE * WIDTH);
  float *memory = calloc(2 * LAYERS * PLACES * WIDTH, sizeof(float));
  if (counted) raise(SIGUSR1);
  if (!error) error = k->encode(&e, ids, lengths, 2, features);
  if (counted) raise(SIGUSR1);
  uint64_t sum = mix(14695981039346656037u, features, sizeof(float) * 2 * LAYERS * SOURCE * WIDTH);
  int32_t sources[SOURCE], fresh[2 * BEAMS * STEPS], histories[2 * BEAMS * STEPS], none[2][STEPS];
  for (int l = 0; l < 2 * LAYERS; l++)
    for (int i = 0; i < SOURCE * WIDTH; i++) memory[l * PLACES * WIDTH + i] = features[l * SOURCE * WIDTH + i];
  for (int i = 0; i < SOURCE; i++) sources[i] = i;
  for (int i = 0; i < 2 * BEAMS * STEPS; i++) fresh[i] = SOURCE + i;
  // A word of the lexicon at every second source position, with one translation of two tokens.
  const Node nodes[] = {{0}, {.child = 2}, {.token = 7, .child = 3}, {.token = 9, .flags = ENDS}};
  int32_t roots[SOURCE];
  for (int i = 0; i < SOURCE; i++) roots[i] = i % 2;
  Row rows[2] = {{.token = 1, .source = sources, .source_length = SOURCE - 1, .history = none[0], .roots = roots},
                 {.token = 1, .source = sources + SOURCE - 1, .source_length = 1, .history = none[1], .roots = roots}};
  const Sentence sentences[2] = {{1, BEAMS, SOURCE - 1}, {1, BEAMS, 1}};
  const double thresholds[2] = {4, 100};
  double scores[2 * BEAMS * STEPS] = {0};
  int64_t tokens[2 * BEAMS * STEPS] = {0}, parents[2 * BEAMS * STEPS] = {0}, attended[2 * BEAMS * STEPS] = {0};
  Search s = {.memory = memory, .places = PLACES, .rows = rows, .sentences = sentences, .thresholds = thresholds,
              .nodes = nodes, .roots_length = SOURCE, .fresh = fresh, .row_count = 2, .sentence_count = 2, .wanted = 2 * BEAMS, .steps = counted ? 1 : STEPS, .capacity = STEPS,
              .scores = scores, .tokens = tokens, .parents = parents, .attended = attended, .histories = histories};
  if (counted) raise(SIGUSR1);
  if (!error) error = k->search(&d, &s);
  if (counted) raise(SIGUSR1);
  if (error) printf("%s: %s\n", k->name, error), exit(1);
  sum = mix(sum, scores, sizeof scores), sum = mix(sum, tokens, sizeof tokens);
  sum = mix(sum, parents, sizeof parents), sum = mix(sum, attended, sizeof attended);
  release_model(&e), release_model(&d), free(features), free(memory);
  return sum;
}

// With the name of a set: only that one and one activation function, for instructions.c.
int main(int argument_count, char **arguments) {
  counted = argument_count > 1;
  Tensor encoder[100], decoder[100];
  const int encoder_count = tensors_of(0, encoder), decoder_count = tensors_of(1, decoder);
  static const char *const names[] = {"plain", "sse41", "avx2", "avxvnni", "avx512vnni", "neonv8", "neon", "neoni8mm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const Kernels *k = counted && strcmp(names[i], arguments[1]) ? NULL : choose_kernels(names[i]);
    for (int activation = RELU; k && activation <= (counted ? RELU : SWISH); activation++)
      printf("%s %d %016llx\n", names[i], activation,
             (unsigned long long)checksum(k, activation, encoder, encoder_count, decoder, decoder_count));
  }
  return 0;
}
