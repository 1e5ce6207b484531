// The operators of domain "dragoman", as ONNX Runtime calls them: every shape and every index is checked here, so that
// the kernels needn't.
//
// Encode: ids (T,) int64 of all sentences, one after the other; lengths (B,) int64; weights
//   -> features (2L, T, D) float32: keys and values of every decoder layer.
// Decode: memory (2L, C, D) float32; rows (R, 2) int64: token and position; totals (R,) float64; histories (R, P) int32:
//   the places in the memory of each row's earlier positions; sentences (B, 3) int64: live rows, hypotheses wanted,
//   source positions; sources (B, S) int32: their places; fresh (W, N) int32: places for N steps of the W hypotheses
//   wanted of all sentences; thresholds (B,) float64; top () int64; weights
//   -> scores, tokens, parents, attended, histories, memory, see search in model.h. The memory may be that of the input.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h"
#include "ort.h"

enum { ENCODE_INPUTS = 2, DECODE_INPUTS = 9, DECODE_OUTPUTS = 6 };
enum { MOST = 1 << 20 }; // of any size that an attribute or a shape gives

static const OrtApi *api;
static const Kernels *chosen; // for graphs that are opened now

typedef struct {
  Model model;
  const Kernels *kernels;
  pthread_mutex_t lock;
  int packed;
  const char *error; // of the packing
} Kernel;

typedef struct {
  void *data;
  int type;
  size_t axes;
  int64_t dims[3];
} Given;

#define TRY(CALL)                                                                                                     \
  do {                                                                                                                \
    OrtStatus *status_ = (CALL);                                                                                      \
    if (status_) return status_;                                                                                      \
  } while (0)
#define CHECK(CONDITION, MESSAGE)                                                                                     \
  if (!(CONDITION)) return api->CreateStatus(ORT_INVALID_ARGUMENT, MESSAGE)

static OrtStatus *get_input(OrtKernelContext *context, size_t index, Given *given) {
  const OrtValue *value;
  OrtShape *shape;
  TRY(api->KernelContext_GetInput(context, index, &value));
  CHECK(value, "an input is missing");
  TRY(api->GetTensorMutableData((OrtValue *)value, &given->data));
  TRY(api->GetTensorTypeAndShape(value, &shape));
  OrtStatus *status = api->GetTensorElementType(shape, &given->type);
  if (!status) status = api->GetDimensionsCount(shape, &given->axes);
  if (!status && given->axes > 3) status = api->CreateStatus(ORT_INVALID_ARGUMENT, "an input has more than three axes");
  if (!status) status = api->GetDimensions(shape, given->dims, given->axes);
  api->ReleaseTensorTypeAndShapeInfo(shape);
  return status;
}

static OrtStatus *get_output(OrtKernelContext *context, size_t index, size_t axes, const int64_t *dims, void *data) {
  OrtValue *value;
  TRY(api->KernelContext_GetOutput(context, index, dims, axes, &value));
  return api->GetTensorMutableData(value, data);
}

// ---- the weights

static OrtStatus *read_size(const OrtKernelInfo *info, const char *name, int least, int *out) {
  int64_t value;
  TRY(api->KernelInfoGetAttribute_int64(info, name, &value));
  char message[100];
  snprintf(message, sizeof message, "attribute %s is out of range", name);
  CHECK(value >= least && value <= MOST, message);
  *out = (int)value;
  return NULL;
}

static OrtStatus *read_attributes(const OrtKernelInfo *info, Model *m) {
  const struct {
    const char *name;
    int least, *place;
  } sizes[] = {{"width", 1, &m->width},
               {"heads", 1, &m->heads},
               {"feed_forward", 1, &m->feed_forward},
               {"layers", 1, &m->depth},
               {"vocabulary", 1, &m->vocabulary},
               {"positions", 1, &m->positions},
               {"pre_norm", 0, &m->pre_norm},
               {"embedding_norm", 0, &m->embedding_norm},
               {"activation", 0, &m->activation}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) TRY(read_size(info, sizes[i].name, sizes[i].least, sizes[i].place));
  m->alignment_layer = -1;
  if (m->decoder) {
    TRY(read_size(info, "alignment_layer", -1, &m->alignment_layer));
    TRY(read_size(info, "alignment_head", 0, &m->alignment_head));
    TRY(api->KernelInfoGetAttribute_int64(info, "eos", &m->eos));
  } else {
    TRY(read_size(info, "cross_layers", 1, &m->cross_layers));
  }
  CHECK(m->width % m->heads == 0 && m->width % 8 == 0, "the width is no multiple of 8, or of the heads");
  CHECK(m->width <= 1 << 14 && m->feed_forward <= 1 << 16, "the layers are wider than 32-bit sums allow");
  CHECK(m->pre_norm <= 1 && m->embedding_norm <= 1 && m->activation <= SWISH, "an attribute is out of range");
  CHECK(!m->decoder || (m->alignment_layer < m->depth && m->alignment_head < m->heads), "there is no such alignment head");
  TRY(api->KernelInfoGetAttribute_float(info, "embedding_scale", &m->embedding_scale));
  TRY(api->KernelInfoGetAttribute_float(info, "epsilon", &m->epsilon));
  CHECK(isfinite(m->embedding_scale) && m->epsilon > 0 && m->epsilon < 1, "an attribute is out of range");
  return NULL;
}

static OrtStatus *create(int decoder, const OrtKernelInfo *info, void **out) {
  Kernel *k = calloc(1, sizeof *k);
  if (!k) return api->CreateStatus(ORT_FAIL, "out of memory");
  k->model.decoder = decoder;
  k->kernels = chosen ? chosen : choose_kernels(NULL);
  OrtStatus *status = read_attributes(info, &k->model);
  if (!status && !k->kernels) status = api->CreateStatus(ORT_FAIL, "there are no kernels for this processor");
  if (status) {
    free(k);
    return status;
  }
  pthread_mutex_init(&k->lock, NULL);
  *out = k;
  return NULL;
}

static void destroy(void *kernel) {
  Kernel *k = kernel;
  release_model(&k->model);
  pthread_mutex_destroy(&k->lock);
  free(k);
}

// Takes the pages of packed weights out of memory: they lie in their file, and are read no more. Nothing can be lost by
// it, and nothing depends on it.
static void page_out(const Tensor *t) {
#ifdef __linux__
  enum { PAGEOUT = 21 }; // MADV_PAGEOUT, which older headers don't have
  const uintptr_t page = 4096, first = ((uintptr_t)t->data + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)t->data + (size_t)(t->rows * t->columns) * (t->halves ? 2 : 4)) / page * page;
  if (end > first) (void)madvise((void *)first, end - first, PAGEOUT);
#else
  (void)t;
#endif
}

static OrtStatus *pack_weights(Kernel *k, OrtKernelContext *context, size_t first) {
  size_t count;
  TRY(api->KernelContext_GetInputCount(context, &count));
  CHECK(count > first && count - first <= 20000, "there are more or fewer weights than the attributes say");
  count -= first;
  Tensor *tensors = calloc(count, sizeof *tensors);
  if (!tensors) return api->CreateStatus(ORT_FAIL, "out of memory");
  OrtStatus *status = NULL;
  for (size_t i = 0; i < count && !status; i++) {
    Given given = {0};
    status = get_input(context, first + i, &given);
    if (!status && ((given.type != FLOAT && given.type != FLOAT16) || given.axes < 1 || given.axes > 2))
      status = api->CreateStatus(ORT_INVALID_ARGUMENT, "a weight is neither vector nor matrix of floats");
    if (!status)
      tensors[i] = (Tensor){given.data, given.axes == 2 ? given.dims[0] : 1, given.dims[given.axes - 1], given.type == FLOAT16};
  }
  if (!status) {
    k->error = k->kernels->pack(&k->model, tensors, (int)count);
    k->packed = 1;
    // The embedding and the positions are read from then on, the rest is not.
    for (size_t i = 2; i < count; i++) page_out(tensors + i);
  }
  free(tensors);
  return status;
}

// At the first run, for the first version of the interface doesn't give weights before; the model's start makes one.
static OrtStatus *ready(Kernel *k, OrtKernelContext *context, size_t inputs) {
  pthread_mutex_lock(&k->lock);
  OrtStatus *status = k->packed ? NULL : pack_weights(k, context, inputs);
  const char *error = k->error;
  pthread_mutex_unlock(&k->lock);
  if (!status && error) status = api->CreateStatus(ORT_FAIL, error);
  return status;
}

// ---- Encode

static OrtStatus *encode(void *kernel, OrtKernelContext *context) {
  Kernel *k = kernel;
  const Model *m = &k->model;
  TRY(ready(k, context, ENCODE_INPUTS));
  Given ids = {0}, lengths = {0};
  TRY(get_input(context, 0, &ids));
  TRY(get_input(context, 1, &lengths));
  CHECK(ids.axes == 1 && lengths.axes == 1, "ids and lengths must have one axis");
  const int64_t *id = ids.data, *length = lengths.data;
  const int64_t positions = ids.dims[0], sentences = lengths.dims[0];
  CHECK(positions > 0 && positions <= MOST, "there are no positions, or too many");
  int64_t sum = 0;
  for (int64_t i = 0; i < sentences; i++) {
    CHECK(length[i] >= 1 && length[i] <= m->positions, "a source is empty or longer than the model's positions");
    sum += length[i];
    CHECK(sum <= positions, "the lengths are not those of the ids");
  }
  CHECK(sum == positions, "the lengths are not those of the ids");
  for (int64_t i = 0; i < positions; i++) CHECK(id[i] >= 0 && id[i] < m->vocabulary, "a source id is not in the vocabulary");
  float *features;
  TRY(get_output(context, 0, 3, (int64_t[]){2 * m->cross_layers, positions, m->width}, &features));
  const char *error = k->kernels->encode(m, id, length, sentences, features);
  return error ? api->CreateStatus(ORT_FAIL, error) : NULL;
}

// ---- Decode

enum { MEMORY, ROWS, TOTALS, HISTORIES, SENTENCES, SOURCES, FRESH, THRESHOLDS, TOP };

static int within(const int32_t *places, int64_t count, int64_t most) {
  for (int64_t i = 0; i < count; i++)
    if (places[i] < 0 || places[i] >= most) return 0;
  return 1;
}

static OrtStatus *check_shapes(const Model *m, const Given *g) {
  static const size_t axes[DECODE_INPUTS] = {3, 2, 1, 2, 2, 2, 2, 1, 0};
  for (int i = 0; i < DECODE_INPUTS; i++) {
    CHECK(g[i].axes == axes[i], "an input has another number of axes than Decode takes");
    for (size_t j = 0; j < g[i].axes; j++)
      CHECK(g[i].dims[j] > 0 && g[i].dims[j] <= 1 << 28, "an input is empty or too large");
  }
  const int64_t rows = g[ROWS].dims[0], sentences = g[SENTENCES].dims[0];
  CHECK(g[MEMORY].dims[0] == 2 * m->depth && g[MEMORY].dims[2] == m->width, "the memory is not that of the model");
  CHECK(rows <= MOST && g[ROWS].dims[1] == 2 && g[TOTALS].dims[0] == rows && g[HISTORIES].dims[0] == rows,
        "rows, totals and histories are not alike");
  CHECK(g[SENTENCES].dims[1] == 3 && g[SOURCES].dims[0] == sentences && g[THRESHOLDS].dims[0] == sentences,
        "sentences, sources and thresholds are not alike");
  CHECK(g[FRESH].dims[0] <= MOST && g[FRESH].dims[1] <= MOST && g[HISTORIES].dims[1] <= MOST, "an input is too large");
  return NULL;
}

// Fills in the rows of all sentences.
static OrtStatus *check_rows(const Model *m, const Given *g, Search *s) {
  const int64_t *rows = g[ROWS].data, length = g[SOURCES].dims[1];
  const double *totals = g[TOTALS].data;
  int64_t r = 0, wanted = 0;
  for (int64_t i = 0; i < s->sentence_count; i++) {
    const Sentence sentence = s->sentences[i];
    const int32_t *source = (const int32_t *)g[SOURCES].data + i * length;
    CHECK(sentence.rows >= 1 && sentence.beams >= sentence.rows && sentence.beams <= LANES,
          "a sentence has no rows, too many, or wants too many hypotheses");
    CHECK(sentence.source_length >= 1 && sentence.source_length <= length, "a source is empty or longer than its places");
    CHECK(within(source, sentence.source_length, s->places), "a place is not in the memory");
    CHECK(r + sentence.rows <= s->row_count, "the sentences have more rows than there are");
    for (int64_t end = r + sentence.rows; r < end; r++) {
      const int64_t token = rows[2 * r], position = rows[2 * r + 1];
      int32_t *history = (int32_t *)g[HISTORIES].data + r * s->capacity;
      CHECK(token >= 0 && token < m->vocabulary, "a token is not in the vocabulary");
      CHECK(position >= 0 && position + s->steps <= m->positions && position + s->steps <= s->capacity,
            "a row has no room for so many steps");
      CHECK(position == rows[2 * (end - sentence.rows) + 1], "the rows of a sentence are at different positions");
      CHECK(within(history, position, s->places), "a place is not in the memory");
      CHECK(!isnan(totals[r]), "a total is not a number");
      s->rows[r] = (Row){.token = token, .position = (int)position, .history = history, .source = source,
                         .source_length = (int)sentence.source_length, .total = totals[r]};
    }
    wanted += sentence.beams;
  }
  CHECK(r == s->row_count, "the sentences have fewer rows than there are");
  CHECK(s->top ? s->wanted >= s->row_count && s->steps == 1 : wanted == s->wanted, "there are not as many fresh places as needed");
  CHECK(within(g[FRESH].data, s->wanted * s->steps, s->places), "a place is not in the memory");
  return NULL;
}

static OrtStatus *deliver(OrtKernelContext *context, const Search *s, int64_t top) {
  const int64_t across = s->top ? s->row_count : s->wanted, dims[3] = {s->steps_made, across, top};
  const struct {
    size_t axes, size;
    const void *from;
  } outputs[] = {{3, 8, s->scores}, {3, 8, s->tokens}, {2, 8, s->parents}, {2, 8, s->attended}};
  for (size_t i = 0; i < 4; i++) {
    char *to;
    TRY(get_output(context, i, outputs[i].axes, dims, &to));
    memcpy(to, outputs[i].from, (size_t)(s->steps_made * across * (outputs[i].axes == 3 ? top : 1)) * outputs[i].size);
  }
  return NULL;
}

static OrtStatus *search_in(Kernel *k, OrtKernelContext *context, const Given *g, Search *s, int64_t top) {
  const int64_t across = s->top ? s->row_count : s->wanted;
  TRY(check_rows(&k->model, g, s));
  TRY(get_output(context, 4, 2, (int64_t[]){across, s->capacity}, &s->histories));
  TRY(get_output(context, 5, 3, g[MEMORY].dims, &s->memory));
  if (s->memory != g[MEMORY].data)
    memcpy(s->memory, g[MEMORY].data, (size_t)(g[MEMORY].dims[0] * g[MEMORY].dims[1] * g[MEMORY].dims[2]) * sizeof(float));
  for (int64_t i = 0; i < s->steps * across; i++) s->scores[i] = -INFINITY; // where there is no hypothesis
  const char *error = k->kernels->search(&k->model, s);
  return error ? api->CreateStatus(ORT_FAIL, error) : deliver(context, s, top);
}

static OrtStatus *decode(void *kernel, OrtKernelContext *context) {
  Kernel *k = kernel;
  Given g[DECODE_INPUTS] = {0};
  TRY(ready(k, context, DECODE_INPUTS));
  for (int i = 0; i < DECODE_INPUTS; i++) TRY(get_input(context, i, g + i));
  TRY(check_shapes(&k->model, g));
  Search s = {.places = g[MEMORY].dims[1],
              .sentences = g[SENTENCES].data,
              .thresholds = g[THRESHOLDS].data,
              .fresh = g[FRESH].data,
              .row_count = g[ROWS].dims[0],
              .sentence_count = g[SENTENCES].dims[0],
              .wanted = g[FRESH].dims[0],
              .steps = g[FRESH].dims[1],
              .capacity = g[HISTORIES].dims[1],
              .top = *(const int64_t *)g[TOP].data};
  CHECK(s.top >= 0, "top is negative");
  if (s.top > k->model.vocabulary) s.top = k->model.vocabulary;
  const int64_t top = s.top ? s.top : 1, across = s.top ? s.row_count : s.wanted;
  const size_t cells = (size_t)(s.steps * across);
  s.rows = calloc((size_t)s.row_count, sizeof *s.rows);
  s.scores = calloc(cells * (size_t)top, sizeof *s.scores);
  s.tokens = calloc(cells * (size_t)top, sizeof *s.tokens);
  s.parents = calloc(cells, sizeof *s.parents);
  s.attended = calloc(cells, sizeof *s.attended);
  OrtStatus *status = s.rows && s.scores && s.tokens && s.parents && s.attended ? search_in(k, context, g, &s, top)
                                                                              : api->CreateStatus(ORT_FAIL, "out of memory");
  void *all_of[] = {s.rows, s.scores, s.tokens, s.parents, s.attended};
  for (size_t i = 0; i < sizeof all_of / sizeof *all_of; i++) free(all_of[i]);
  return status;
}

// ---- what ONNX Runtime asks of an operator

static OrtStatus *create_encode(const OrtCustomOp *op, const OrtApi *a, const OrtKernelInfo *info, void **out) {
  (void)op, (void)a;
  return create(0, info, out);
}
static OrtStatus *create_decode(const OrtCustomOp *op, const OrtApi *a, const OrtKernelInfo *info, void **out) {
  (void)op, (void)a;
  return create(1, info, out);
}
static const char *name_encode(const OrtCustomOp *op) { return (void)op, "Encode"; }
static const char *name_decode(const OrtCustomOp *op) { return (void)op, "Decode"; }
static const char *provider(const OrtCustomOp *op) { return (void)op, NULL; } // the CPU
static size_t inputs_encode(const OrtCustomOp *op) { return (void)op, ENCODE_INPUTS + 1; }
static size_t inputs_decode(const OrtCustomOp *op) { return (void)op, DECODE_INPUTS + 1; }
static size_t outputs_encode(const OrtCustomOp *op) { return (void)op, 1; }
static size_t outputs_decode(const OrtCustomOp *op) { return (void)op, DECODE_OUTPUTS; }
static int type_encode(const OrtCustomOp *op, size_t i) { return (void)op, i < ENCODE_INPUTS ? INT64 : ANY; }
static int type_decode(const OrtCustomOp *op, size_t i) {
  static const int types[] = {FLOAT, INT64, DOUBLE, INT32, INT64, INT32, INT32, DOUBLE, INT64, ANY};
  return (void)op, types[i];
}
static int result_encode(const OrtCustomOp *op, size_t i) { return (void)op, (void)i, FLOAT; }
static int result_decode(const OrtCustomOp *op, size_t i) {
  static const int types[] = {DOUBLE, INT64, INT64, INT64, INT32, FLOAT};
  return (void)op, types[i];
}
static int kind_encode(const OrtCustomOp *op, size_t i) { return (void)op, i < ENCODE_INPUTS ? REQUIRED : VARIADIC; }
static int kind_decode(const OrtCustomOp *op, size_t i) { return (void)op, i < DECODE_INPUTS ? REQUIRED : VARIADIC; }
static int kind_result(const OrtCustomOp *op, size_t i) { return (void)op, (void)i, REQUIRED; }
static int memory_type(const OrtCustomOp *op, size_t i) { return (void)op, (void)i, 0; }
static int one(const OrtCustomOp *op) { return (void)op, 1; }
static int zero(const OrtCustomOp *op) { return (void)op, 0; }

#define OPERATOR(WHICH)                                                                                               \
  {.version = ORT_API_USED,                                                                                           \
   .GetName = name_##WHICH,                                                                                           \
   .GetExecutionProviderType = provider,                                                                              \
   .GetInputType = type_##WHICH,                                                                                      \
   .GetInputTypeCount = inputs_##WHICH,                                                                               \
   .GetOutputType = result_##WHICH,                                                                                   \
   .GetOutputTypeCount = outputs_##WHICH,                                                                             \
   .KernelDestroy = destroy,                                                                                          \
   .GetInputCharacteristic = kind_##WHICH,                                                                            \
   .GetOutputCharacteristic = kind_result,                                                                            \
   .GetInputMemoryType = memory_type,                                                                                 \
   .GetVariadicInputMinArity = one,                                                                                   \
   .GetVariadicInputHomogeneity = zero,                                                                               \
   .GetVariadicOutputMinArity = one,                                                                                  \
   .GetVariadicOutputHomogeneity = zero,                                                                              \
   .CreateKernelV2 = create_##WHICH,                                                                                  \
   .KernelComputeV2 = WHICH,                                                                                          \
   .GetStartVersion = one,                                                                                            \
   .GetEndVersion = one}

static const OrtCustomOp encode_operator = OPERATOR(encode), decode_operator = OPERATOR(decode);

#define PUBLIC __attribute__((visibility("default")))

PUBLIC OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  api = base->GetApi(ORT_API_USED);
  OrtCustomOpDomain *domain;
  TRY(api->CreateCustomOpDomain("dragoman", &domain));
  TRY(api->CustomOpDomain_Add(domain, &encode_operator));
  TRY(api->CustomOpDomain_Add(domain, &decode_operator));
  return api->AddCustomOpDomain(options, domain);
}

// Chooses the kernels of graphs that are opened from now on: the fastest, or those of a name. Returns their name, or
// nothing if the processor can't run them.
PUBLIC const char *dragoman_kernels(const char *name) {
  const Kernels *k = choose_kernels(name);
  if (k) chosen = k;
  return k ? k->name : "";
}
