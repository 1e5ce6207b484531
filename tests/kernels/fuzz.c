// For libFuzzer: its bytes choose a model and a batch, and then what is wrong with them. The operators must return a
// result or an error, and touch no memory that isn't theirs.
#include <assert.h>
#include <math.h>

#include "runtime.h"

typedef struct {
  const uint8_t *at;
  size_t left;
} Bytes;

static uint32_t below(Bytes *b, uint32_t end) {
  uint32_t number = 0;
  for (uint32_t range = 1; range < end && b->left; range <<= 8, b->left--) number = number << 8 | *b->at++;
  return number % end;
}

static int64_t wrong_number(Bytes *b) {
  static const int64_t numbers[] = {-1, 0, 1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 1 << 20, (1 << 20) + 1, 1 << 28, INT32_MAX,
                                    INT32_MIN, (int64_t)1 << 32, INT64_MAX, INT64_MIN};
  const uint32_t which = below(b, 32);
  return which < sizeof numbers / sizeof *numbers ? numbers[which] : (int64_t)below(b, 256);
}

static void set(const OrtValue *v, int64_t at, int64_t number, double real) {
  if (v->type == FLOAT) ((float *)v->data)[at] = (float)real;
  if (v->type == DOUBLE) ((double *)v->data)[at] = real;
  if (v->type == FLOAT16) ((uint16_t *)v->data)[at] = (uint16_t)number;
  if (v->type == INT8) ((int8_t *)v->data)[at] = (int8_t)number;
  if (v->type == INT32) ((int32_t *)v->data)[at] = (int32_t)number;
  if (v->type == INT64) ((int64_t *)v->data)[at] = number;
}

static OrtValue *add_input(OrtKernelContext *c, int type, size_t axes, int64_t a, int64_t b, int64_t d) {
  OrtValue *v = &c->inputs[c->count++];
  *v = (OrtValue){type, axes, {a, b, d}, NULL};
  allocate_value(v);
  return v;
}

static void fill(const OrtValue *v, Bytes *b, int64_t end) {
  for (int64_t i = 0; i < numbers_of(v); i++) set(v, i, below(b, (uint32_t)end), 0);
}

// Another shape, with as much of the contents as there is room for; or another number, or another type.
static void harm(OrtValue *v, Bytes *b, int any_type) {
  static const double reals[] = {0, -1, 1e300, -1e300, INFINITY, -INFINITY, NAN, 1e-300};
  const uint32_t what = below(b, 8);
  if (what < 4) {
    const int64_t count = numbers_of(v);
    const uint32_t at = below(b, (uint32_t)(count ? count : 1));
    const int64_t number = wrong_number(b);
    if (count) set(v, at, number, reals[number & 7]);
    return;
  }
  const OrtValue before = *v;
  if (what < 6 && v->axes) v->dims[below(b, (uint32_t)v->axes)] = wrong_number(b) & 1023;
  if (what == 6) v->axes = below(b, MOST_AXES + 1);
  if (what == 7 && any_type) v->type = (int[]){FLOAT, INT32, INT64, FLOAT16, DOUBLE, INT8}[below(b, 6)];
  for (size_t i = before.axes; i < v->axes; i++) v->dims[i] = 1 + below(b, 4);
  if (numbers_of(v) > 1 << 20) {
    *v = before;
    return;
  }
  allocate_value(v);
  const size_t old = (size_t)numbers_of(&before) * bytes_of(before.type), new = (size_t)numbers_of(v) * bytes_of(v->type);
  memcpy(v->data, before.data, old < new ? old : new);
  free(before.data);
}

static Sizes a_model(Bytes *b) {
  Sizes s = {.width = 8 * (1 + below(b, 6)), .feed_forward = 1 + below(b, 40), .layers = 1 + below(b, 2), .vocabulary = 3 + below(b, 90),
             .positions = 1 + below(b, 12), .pre_norm = below(b, 2), .embedding_norm = below(b, 2), .activation = below(b, 3),
             .eos = 2, .decoder = (int)below(b, 4) > 0};
  s.heads = s.width % 3 == 0 && below(b, 2) ? 3 : 1 << below(b, 4);
  s.cross_layers = s.layers;
  s.alignment_layer = (int64_t)below(b, (uint32_t)s.layers + 1) - 1, s.alignment_head = below(b, (uint32_t)s.heads);
  if (s.decoder) s.recurrent = below(b, 2), s.choices = below(b, 2), s.neighbours = below(b, 2);
  return s;
}

static void a_source(OrtKernelContext *c, const Sizes *s, Bytes *b) {
  const uint32_t sentences = 1 + below(b, 4);
  int64_t lengths[4], sum = 0;
  for (uint32_t i = 0; i < sentences; i++) sum += lengths[i] = 1 + below(b, (uint32_t)s->positions);
  fill(add_input(c, INT64, 1, sum, 0, 0), b, s->vocabulary);
  memcpy(add_input(c, INT64, 1, sentences, 0, 0)->data, lengths, sentences * sizeof *lengths);
}

static void a_lexicon(OrtKernelContext *c, const Sizes *s, Bytes *b, int64_t sentences, int64_t rows) {
  const int64_t count = 1 + below(b, 12);
  int32_t *nodes = add_input(c, INT32, 2, count, 4, 0)->data;
  for (int64_t i = 1; i < count; i++) {
    nodes[4 * i] = (int32_t)below(b, s->vocabulary < 64 ? (uint32_t)s->vocabulary : 64);
    for (int j = 1; j < 3; j++) nodes[4 * i + j] = i + 1 < count && below(b, 2) ? (int32_t)(i + 1 + below(b, (uint32_t)(count - i - 1))) : 0;
    nodes[4 * i + 3] = (int32_t)below(b, 4);
  }
  fill(add_input(c, INT32, 2, sentences, 1 + below(b, 9), 0), b, count);
  const OrtValue *progress = add_input(c, INT64, 2, rows, 2, 0);
  for (int64_t i = 0; i < rows; i++) set(progress, 2 * i, below(b, 16), 0), set(progress, 2 * i + 1, below(b, (uint32_t)count), 0);
}

// Similar translations of the sentences that have no choices: states that are like nothing, in strips as of a Linear.
static void a_datastore(OrtKernelContext *c, const Sizes *s, Bytes *b, int64_t sentences, const OrtValue *choices) {
  int64_t counts[4], strips = 0;
  for (int64_t i = 0; i < sentences; i++) {
    const int chooses = choices && ((int32_t *)choices->data)[i * choices->dims[1]] >= 0;
    counts[i] = chooses ? 0 : below(b, below(b, 2) ? 4 : 150);
    strips += (counts[i] + STRIP - 1) / STRIP;
  }
  const int64_t depth = (s->width + LANES - 1) / LANES * LANES;
  const OrtValue *keys = add_input(c, INT8, 3, strips, depth / 4, 4 * STRIP), *scales = add_input(c, FLOAT, 1, strips * STRIP, 0, 0);
  const OrtValue *sums = add_input(c, INT32, 2, strips * STRIP, 2, 0);
  fill(add_input(c, INT32, 1, strips * STRIP, 0, 0), b, s->vocabulary);
  uint32_t seed = below(b, 256);
  for (int64_t i = 0; i < numbers_of(keys); i++) {
    const int64_t key = i / (depth * STRIP) * STRIP + i % (4 * STRIP) / 4;
    seed = seed * 1664525 + 1013904223;
    const int8_t number = ((int8_t *)keys->data)[i] = (int8_t)(seed >> 24);
    ((int32_t *)sums->data)[2 * key] += number, ((int32_t *)sums->data)[2 * key + 1] += number * number;
    set(scales, key, 0, 1 / (double)(1 + key));
  }
  if (strips) memcpy(add_input(c, INT64, 1, sentences, 0, 0)->data, counts, (size_t)sentences * sizeof *counts);
  else add_input(c, INT64, 1, 1, 0, 0);
}

static void a_batch(OrtKernelContext *c, const Sizes *s, Bytes *b) {
  const int64_t sentences = 1 + below(b, 3), places = 1 + below(b, 60), length = 1 + below(b, 9), top = below(b, 3) ? 0 : 1 + below(b, 100);
  const int64_t steps = top ? 1 : 1 + below(b, (uint32_t)(s->positions < 5 ? s->positions : 5));
  int64_t described[9], rows = 0, wanted = 0, positions[3];
  for (int64_t i = 0; i < sentences; i++) {
    described[3 * i + 1] = 1 + below(b, below(b, 4) ? 4 : 16);
    described[3 * i] = 1 + below(b, (uint32_t)described[3 * i + 1]);
    described[3 * i + 2] = 1 + below(b, (uint32_t)length);
    positions[i] = below(b, (uint32_t)(s->positions - steps + 1));
    rows += described[3 * i], wanted += described[3 * i + 1];
  }
  const OrtValue *memory = add_input(c, FLOAT, 3, 2 * s->layers, places, s->width);
  for (int64_t i = 0; i < numbers_of(memory); i++) ((float *)memory->data)[i] = (float)(i % 7) - 3;
  int64_t *row = add_input(c, INT64, 2, rows, 2, 0)->data;
  for (int64_t i = 0, r = 0; i < sentences; i++)
    for (int64_t end = r + described[3 * i]; r < end; r++) row[2 * r] = below(b, (uint32_t)s->vocabulary), row[2 * r + 1] = positions[i];
  add_input(c, DOUBLE, 1, rows, 0, 0);
  fill(add_input(c, INT32, 2, rows, s->positions + below(b, 3), 0), b, places);
  memcpy(add_input(c, INT64, 2, sentences, 3, 0)->data, described, (size_t)sentences * 3 * sizeof *described);
  fill(add_input(c, INT32, 2, sentences, length, 0), b, places);
  fill(add_input(c, INT32, 2, top ? rows : wanted, steps, 0), b, places);
  const OrtValue *thresholds = add_input(c, DOUBLE, 1, sentences, 0, 0);
  for (int64_t i = 0; i < sentences; i++) set(thresholds, i, 0, below(b, 8));
  set(add_input(c, INT64, 0, 0, 0, 0), 0, top, 0);
  a_lexicon(c, s, b, sentences, rows);
  const OrtValue *choices = NULL;
  if (s->choices) {
    choices = add_input(c, INT32, 2, sentences, 1 + below(b, (uint32_t)s->vocabulary), 0);
    for (int64_t i = 0; i < numbers_of(choices); i++) set(choices, i, (int64_t)below(b, (uint32_t)s->vocabulary + 1) - 1, 0);
  }
  if (s->neighbours) a_datastore(c, s, b, sentences, choices);
}

// Tokens and parents of the hypotheses that there are.
static void check_results(const OrtKernelContext *c, const Sizes *s) {
  const double *scores = c->outputs[0].data;
  const int64_t *tokens = c->outputs[1].data, *parents = c->outputs[2].data;
  const int64_t each = c->outputs[0].dims[2];
  for (int64_t i = 0; i < numbers_of(c->outputs); i++) {
    if (scores[i] == -INFINITY) continue;
    assert(tokens[i] >= 0 && tokens[i] < s->vocabulary);
    assert(parents[i / each] >= 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const sets[] = {"plain", "sse41", "avx2", "avxvnni", "avx512vnni", "amx", "neonv8", "neon", "neoni8mm"};
  Bytes bytes = {data, size}, *b = &bytes;
  if (!operators[0]) RegisterCustomOps(NULL, &small_base);
  if (!*dragoman_kernels(sets[below(b, 8)])) dragoman_kernels(NULL);
  const Sizes s = a_model(b);
  OrtKernelContext c = {.in_place = s.decoder && below(b, 2)};
  if (s.decoder) a_batch(&c, &s, b);
  else a_source(&c, &s, b);
  const size_t first = c.count;
  add_weights(&c, &s, below(b, 256));
  OrtKernelInfo info = attributes_of(&s);
  if (!below(b, 8)) info.attributes[below(b, (uint32_t)info.count)].value = wrong_number(b);
  if (!below(b, 4)) harm(&c.inputs[first + below(b, (uint32_t)(c.count - first))], b, 1);
  for (uint32_t harms = below(b, 4); harms; harms--) {
    const uint32_t which = below(b, (uint32_t)first);
    harm(&c.inputs[which], b, which == 12);
  }
  void *kernel = NULL;
  const OrtCustomOp *op = operators[s.decoder];
  OrtStatus *status = op->CreateKernelV2(op, &small_api, &info, &kernel);
  if (!status) {
    status = op->KernelComputeV2(kernel, &c);
    if (!status && s.decoder) check_results(&c, &s);
    op->KernelDestroy(kernel);
  }
  free(status);
  release_values(&c);
  return 0;
}
