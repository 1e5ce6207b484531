// Encode and Decode over a random model, and a batch of sentences through both, on runtime.h.
#pragma once
#include "runtime.h"

typedef struct {
  Sizes sizes;
  OrtKernelContext weights;
  void *kernel;
} Operator;

static inline void *open_kernel(const Sizes *s) {
  OrtKernelInfo info = attributes_of(s);
  void *kernel;
  const OrtCustomOp *op = operators[s->decoder];
  OrtStatus *status = op->CreateKernelV2(op, &small_api, &info, &kernel);
  if (status) printf("%s\n", status->message), exit(1);
  return kernel;
}

// With the kernels that dragoman_kernels has chosen.
static inline Operator open_operator(Sizes sizes) {
  Operator o = {.sizes = sizes, .kernel = open_kernel(&sizes)};
  add_weights(&o.weights, &sizes, 7);
  return o;
}

static inline void close_operator(Operator *o) {
  operators[o->sizes.decoder]->KernelDestroy(o->kernel);
  release_values(&o->weights);
}

static inline void *add(OrtKernelContext *c, int type, size_t axes, int64_t a, int64_t b, int64_t d) {
  OrtValue *v = &c->inputs[c->count++];
  *v = (OrtValue){type, axes, {a, b, d}, NULL};
  allocate_value(v);
  return v->data;
}

// Runs an operator; the inputs so far are those besides the weights.
static inline void run(const Operator *o, OrtKernelContext *c) {
  const size_t own = c->count;
  memcpy(c->inputs + own, o->weights.inputs, o->weights.count * sizeof *c->inputs);
  c->count += o->weights.count;
  OrtStatus *status = operators[o->sizes.decoder]->KernelComputeV2(o->kernel, c);
  if (status) printf("%s\n", status->message), exit(1);
  c->count = own;
}

static inline uint64_t mix(uint64_t sum, const OrtValue *v) { // FNV-1a
  for (size_t i = 0; i < (size_t)numbers_of(v) * bytes_of(v->type); i++)
    sum = (sum ^ ((const uint8_t *)v->data)[i]) * 1099511628211u;
  return sum;
}

enum { MOST_SOURCES = 8 };
typedef struct {
  int sources, length, beams, steps; // the second source is half as long as the first, and so on
} Batch;

// Translates; returns a checksum of the results. `beside`, if any, is called before and after each run.
static inline uint64_t translate(const Operator *encoder, const Operator *decoder, Batch b, void (*beside)(void)) {
  const Sizes *s = &encoder->sizes;
  OrtKernelContext e = {0}, d = {.in_place = 1};
  int64_t lengths[MOST_SOURCES], positions = 0;
  for (int i = 0; i < b.sources; i++) positions += lengths[i] = b.length / (i + 1);
  const int64_t wanted = (int64_t)b.sources * b.beams, places = positions + wanted * b.steps;
  int64_t *ids = add(&e, INT64, 1, positions, 0, 0);
  for (int64_t i = 0; i < positions; i++) ids[i] = (i * 37 + 3) % s->vocabulary;
  memcpy(add(&e, INT64, 1, b.sources, 0, 0), lengths, (size_t)b.sources * sizeof *lengths);
  if (beside) beside();
  run(encoder, &e);
  if (beside) beside();
  const int64_t block = positions * s->width;
  float *memory = add(&d, FLOAT, 3, 2 * s->cross_layers, places, s->width);
  for (int64_t l = 0; l < 2 * s->cross_layers; l++)
    memcpy(memory + l * places * s->width, (float *)e.outputs[0].data + l * block, sizeof(float) * (size_t)block);
  int64_t *rows = add(&d, INT64, 2, b.sources, 2, 0);
  add(&d, DOUBLE, 1, b.sources, 0, 0);
  add(&d, INT32, 2, b.sources, b.steps, 0);
  int64_t *sentences = add(&d, INT64, 2, b.sources, 3, 0);
  int32_t *sources = add(&d, INT32, 2, b.sources, b.length, 0), *fresh = add(&d, INT32, 2, wanted, b.steps, 0);
  double *thresholds = add(&d, DOUBLE, 1, b.sources, 0, 0);
  for (int i = 0, place = 0; i < b.sources; i++) {
    rows[2 * i] = 1, thresholds[i] = 5;
    sentences[3 * i] = 1, sentences[3 * i + 1] = b.beams, sentences[3 * i + 2] = lengths[i];
    for (int j = 0; j < lengths[i]; j++) sources[i * b.length + j] = place++;
  }
  for (int64_t i = 0; i < wanted * b.steps; i++) fresh[i] = (int32_t)(positions + i);
  add(&d, INT64, 0, 0, 0, 0);
  // At every second source position a word of the lexicon, with one translation of two tokens.
  int32_t *nodes = add(&d, INT32, 2, 4, 4, 0), *roots = add(&d, INT32, 2, b.sources, b.length, 0);
  nodes[6] = 2, nodes[8] = 7, nodes[10] = 3, nodes[12] = 9, nodes[15] = ENDS;
  for (int i = 0; i < b.sources * b.length; i += 2) roots[i] = 1;
  add(&d, INT64, 2, b.sources, 2, 0);
  if (beside) beside();
  run(decoder, &d);
  if (beside) beside();
  uint64_t sum = mix(14695981039346656037u, e.outputs);
  for (int i = 0; i < 5; i++) sum = mix(sum, d.outputs + i);
  release_values(&e), release_values(&d);
  return sum;
}
