// The model of an operator: its attributes, and its weights, which are checked here and packed at the first run.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "operators.h"

static OrtStatus *read_size(const OrtKernelInfo *info, const char *name, int least, int *out) {
  int64_t value;
  TRY(api->KernelInfoGetAttribute_int64(info, name, &value));
  char message[100];
  snprintf(message, sizeof message, "attribute %s is out of range", name);
  CHECK(value >= least && value <= MAX_SIZE, message);
  *out = (int)value;
  return NULL;
}

// An attribute that older graphs don't have: 0 there.
static OrtStatus *read_flag(const OrtKernelInfo *info, const char *name, int *out) {
  int64_t value = 0;
  OrtStatus *missing = api->KernelInfoGetAttribute_int64(info, name, &value);
  if (missing) api->ReleaseStatus(missing);
  CHECK(value == 0 || value == 1, "an attribute is out of range");
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
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    TRY(read_size(info, sizes[i].name, sizes[i].least, sizes[i].place));
  m->alignment_layer = -1;
  if (m->decoder) {
    TRY(read_size(info, "alignment_layer", -1, &m->alignment_layer));
    TRY(read_size(info, "alignment_head", 0, &m->alignment_head));
    TRY(api->KernelInfoGetAttribute_int64(info, "eos", &m->eos));
    TRY(read_flag(info, "recurrent", &m->recurrent));
    TRY(read_flag(info, "choices", &m->choices));
    TRY(read_flag(info, "neighbours", &m->neighbours));
  } else {
    TRY(read_size(info, "cross_layers", 1, &m->cross_layers));
  }
  CHECK(m->width % m->heads == 0 && m->width % 8 == 0, "the width is no multiple of 8, or of the heads");
  CHECK(m->width <= 1 << 14 && m->feed_forward <= 1 << 16, "the layers are wider than 32-bit sums allow");
  CHECK(m->pre_norm <= 1 && m->embedding_norm <= 1 && m->activation <= SWISH, "an attribute is out of range");
  CHECK(!m->decoder || (m->alignment_layer < m->depth && m->alignment_head < m->heads),
        "there is no such alignment head");
  TRY(api->KernelInfoGetAttribute_float(info, "embedding_scale", &m->embedding_scale));
  TRY(api->KernelInfoGetAttribute_float(info, "epsilon", &m->epsilon));
  CHECK(isfinite(m->embedding_scale) && m->epsilon > 0 && m->epsilon < 1, "an attribute is out of range");
  return NULL;
}

OrtStatus *create_kernel(int decoder, const OrtKernelInfo *info, void **out) {
  Kernel *k = calloc(1, sizeof *k);
  if (!k) return api->CreateStatus(ORT_FAIL, "out of memory");
  k->model.decoder = decoder;
  const Kernels *chosen = chosen_kernels;
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

void destroy_kernel(void *kernel) {
  Kernel *k = kernel;
  release_model(&k->model);
  pthread_mutex_destroy(&k->lock);
  free(k);
}

// Tells the system to drop the pages of weights that were packed: they are in the file and not read again. This is only
// advice; nothing depends on it.
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
    Input input = {0};
    status = get_input(context, first + i, &input);
    if (!status && ((input.type != FLOAT && input.type != FLOAT16) || input.axes < 1 || input.axes > 2))
      status = api->CreateStatus(ORT_INVALID_ARGUMENT, "a weight is neither vector nor matrix of floats");
    if (!status)
      tensors[i] = (Tensor){input.data, input.axes == 2 ? input.dims[0] : 1, input.dims[input.axes - 1],
                            input.type == FLOAT16};
  }
  if (!status) {
    k->error = k->kernels->pack(&k->model, tensors, (int)count);
    k->packed = 1;
    // After packing, only the embedding and the positions are still read.
    for (size_t i = 2; i < count; i++) page_out(tensors + i);
  }
  free(tensors);
  return status;
}

// Packs at the first run, because version 1 of the interface gives no weights earlier. Loading a model makes a run.
OrtStatus *pack_once(Kernel *k, OrtKernelContext *context, size_t inputs) {
  pthread_mutex_lock(&k->lock);
  OrtStatus *status = k->packed ? NULL : pack_weights(k, context, inputs);
  const char *error = k->error;
  pthread_mutex_unlock(&k->lock);
  if (!status && error) status = api->CreateStatus(ORT_FAIL, error);
  return status;
}

