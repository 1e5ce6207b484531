// A small ONNX Runtime for tests of the operators: it has what they ask of it, and nothing else. Every tensor ends where
// its memory ends, so that AddressSanitizer sees a byte too far; in ONNX Runtime's own arena it would not.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "ort.h"

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base);
const char *dragoman_kernels(const char *name);

enum { MOST_INPUTS = 120, MOST_OUTPUTS = 8, MOST_AXES = 4, MOST_ATTRIBUTES = 16 };

struct OrtValue {
  int type;
  size_t axes;
  int64_t dims[MOST_AXES];
  void *data;
};
struct OrtShape {
  const OrtValue *value;
};
struct OrtStatus {
  char message[200];
};
struct OrtKernelInfo {
  struct {
    const char *name;
    int64_t value;
  } attributes[MOST_ATTRIBUTES];
  size_t count;
  float embedding_scale, epsilon;
};
struct OrtKernelContext {
  OrtValue inputs[MOST_INPUTS], outputs[MOST_OUTPUTS];
  size_t count;
  int in_place; // the sixth output is the first input, as the server binds the memory
};

static inline size_t bytes_of(int type) { return type == INT8 ? 1 : type == FLOAT16 ? 2 : type == INT64 || type == DOUBLE ? 8 : 4; }
static inline int64_t numbers_of(const OrtValue *v) {
  int64_t count = 1;
  for (size_t i = 0; i < v->axes; i++) count *= v->dims[i];
  return count;
}
static inline void allocate_value(OrtValue *v) { v->data = calloc((size_t)numbers_of(v), bytes_of(v->type)); }

static OrtStatus *create_status(int code, const char *message) {
  OrtStatus *status = calloc(1, sizeof *status);
  snprintf(status->message, sizeof status->message, "%d: %s", code, message);
  return status;
}
static void release_status(OrtStatus *status) { free(status); }
static OrtStatus *get_data(OrtValue *value, void **out) { return *out = value->data, NULL; }
static OrtStatus *get_shape(const OrtValue *value, OrtShape **out) {
  *out = calloc(1, sizeof **out);
  (*out)->value = value;
  return NULL;
}
static OrtStatus *get_type(const OrtShape *shape, int *out) { return *out = shape->value->type, NULL; }
static OrtStatus *get_axes(const OrtShape *shape, size_t *out) { return *out = shape->value->axes, NULL; }
static OrtStatus *get_dims(const OrtShape *shape, int64_t *out, size_t count) {
  return memcpy(out, shape->value->dims, count * sizeof *out), NULL;
}
static void release_shape(OrtShape *shape) { free(shape); }
static OrtStatus *get_int(const OrtKernelInfo *info, const char *name, int64_t *out) {
  for (size_t i = 0; i < info->count; i++)
    if (!strcmp(info->attributes[i].name, name)) return *out = info->attributes[i].value, NULL;
  return create_status(ORT_FAIL, "no such attribute");
}
static OrtStatus *get_float(const OrtKernelInfo *info, const char *name, float *out) {
  return *out = strcmp(name, "epsilon") ? info->embedding_scale : info->epsilon, NULL;
}
static OrtStatus *count_inputs(const OrtKernelContext *context, size_t *out) { return *out = context->count, NULL; }
static OrtStatus *input_of(const OrtKernelContext *context, size_t index, const OrtValue **out) {
  return *out = index < context->count ? &context->inputs[index] : NULL, NULL;
}
static OrtStatus *output_of(OrtKernelContext *context, size_t index, const int64_t *dims, size_t count, OrtValue **out) {
  static const int types[] = {DOUBLE, INT64, INT64, INT64, INT32, FLOAT, INT8, FLOAT};
  OrtValue *v = *out = &context->outputs[index];
  *v = (OrtValue){.type = context->count && context->inputs[0].type == INT64 ? FLOAT : types[index], .axes = count};
  memcpy(v->dims, dims, count * sizeof *dims);
  if (context->in_place && index == 5) v->data = context->inputs[0].data;
  else allocate_value(v);
  return NULL;
}

static const OrtCustomOp *_Atomic operators[2]; // Encode, Decode
static OrtStatus *create_domain(const char *domain, OrtCustomOpDomain **out) { return (void)domain, *out = NULL, NULL; }
static OrtStatus *add_operator(OrtCustomOpDomain *domain, const OrtCustomOp *op) {
  operators[!strcmp(op->GetName(op), "Decode")] = op;
  return (void)domain, NULL;
}
static OrtStatus *add_domain(OrtSessionOptions *options, OrtCustomOpDomain *domain) { return (void)options, (void)domain, NULL; }

static const OrtApi small_api = {
    .CreateStatus = create_status,
    .CreateCustomOpDomain = create_domain,
    .CustomOpDomain_Add = add_operator,
    .AddCustomOpDomain = add_domain,
    .GetTensorMutableData = get_data,
    .GetTensorElementType = get_type,
    .GetDimensionsCount = get_axes,
    .GetDimensions = get_dims,
    .GetTensorTypeAndShape = get_shape,
    .KernelInfoGetAttribute_float = get_float,
    .KernelInfoGetAttribute_int64 = get_int,
    .KernelContext_GetInputCount = count_inputs,
    .KernelContext_GetInput = input_of,
    .KernelContext_GetOutput = output_of,
    .ReleaseStatus = release_status,
    .ReleaseTensorTypeAndShapeInfo = release_shape,
};
static const OrtApi *small_runtime(uint32_t version) { return (void)version, &small_api; }
static const OrtApiBase small_base = {.GetApi = small_runtime};

static inline void release_values(OrtKernelContext *c) {
  for (size_t i = 0; i < MOST_OUTPUTS; i++)
    if (c->outputs[i].data != c->inputs[0].data) free(c->outputs[i].data);
  for (size_t i = 0; i < c->count; i++) free(c->inputs[i].data);
}

// ---- A random model

typedef struct {
  int64_t width, heads, feed_forward, layers, vocabulary, positions, pre_norm, embedding_norm, activation;
  int64_t alignment_layer, alignment_head, eos, recurrent, choices, neighbours, cross_layers;
  int decoder;
} Sizes;

static inline OrtKernelInfo attributes_of(const Sizes *s) {
  OrtKernelInfo info = {.embedding_scale = 2, .epsilon = 1e-5f};
#define ATTRIBUTE(NAME) info.attributes[info.count].name = #NAME, info.attributes[info.count++].value = s->NAME;
  ATTRIBUTE(width) ATTRIBUTE(heads) ATTRIBUTE(feed_forward) ATTRIBUTE(layers) ATTRIBUTE(vocabulary)
  ATTRIBUTE(positions) ATTRIBUTE(pre_norm) ATTRIBUTE(embedding_norm) ATTRIBUTE(activation)
  ATTRIBUTE(alignment_layer) ATTRIBUTE(alignment_head) ATTRIBUTE(eos) ATTRIBUTE(recurrent) ATTRIBUTE(choices)
  ATTRIBUTE(neighbours) ATTRIBUTE(cross_layers)
#undef ATTRIBUTE
  return info;
}

static inline void add_weight(OrtKernelContext *c, int type, int64_t rows, int64_t columns, uint32_t *seed) {
  OrtValue *v = &c->inputs[c->count++];
  *v = rows ? (OrtValue){type, 2, {rows, columns}, NULL} : (OrtValue){type, 1, {columns}, NULL};
  allocate_value(v);
  for (int64_t i = 0; i < numbers_of(v); i++) {
    *seed = *seed * 1664525 + 1013904223;
    // Of either sign, less than 1.
    if (type == FLOAT16) ((uint16_t *)v->data)[i] = (uint16_t)((*seed >> 16 & 0x83ff) | (*seed >> 8) % 14 << 10);
    else ((float *)v->data)[i] = (float)(int)(*seed >> 8) / (1 << 24) - 0.25f;
  }
}

// Adds the weights in the order in which kernels/packing.c reads them.
static inline void add_weights(OrtKernelContext *c, const Sizes *s, uint32_t seed) {
  add_weight(c, FLOAT16, s->vocabulary, s->width, &seed);
  add_weight(c, FLOAT, s->positions, s->width, &seed);
#define NORM add_weight(c, FLOAT, 0, s->width, &seed), add_weight(c, FLOAT, 0, s->width, &seed);
#define LINEAR(INPUTS, OUTPUTS) \
  add_weight(c, FLOAT16, INPUTS, OUTPUTS, &seed), add_weight(c, FLOAT, 0, OUTPUTS, &seed);
  if (s->embedding_norm) { NORM }
  for (int64_t i = 0; i < s->layers; i++) {
    NORM LINEAR(s->width, (s->recurrent ? 2 : 3) * s->width)
    if (!s->recurrent) { LINEAR(s->width, s->width) }
    if (s->decoder) { NORM LINEAR(s->width, s->width) LINEAR(s->width, s->width) }
    NORM LINEAR(s->width, s->feed_forward) LINEAR(s->feed_forward, s->width)
  }
  if (s->pre_norm) { NORM }
  if (s->decoder) add_weight(c, FLOAT16, s->vocabulary, s->width, &seed), add_weight(c, FLOAT, 0, s->vocabulary, &seed);
  else { LINEAR(s->width, 2 * s->cross_layers * s->width) }
#undef LINEAR
#undef NORM
}
