// Shared by the files that call ONNX Runtime: operators.c, weights.c and registration.c.
#pragma once
#include <pthread.h>

#include "model.h"
#include "ort.h"

// without weights
enum { ENCODE_INPUTS = 2, DECODE_INPUTS = 12, DECODE_OUTPUTS = 6, STATE_OUTPUTS = 2, NEIGHBOUR_INPUTS = 5 };
enum { MAX_SIZE = 1 << 20 };                                       // maximum of any size in an attribute or a shape

// Atomic, because a graph may be opened while others run.
extern const OrtApi *_Atomic api;
extern const Kernels *_Atomic chosen_kernels; // for graphs that are opened now; NULL for the fastest

// An operator of an open graph.
typedef struct {
  Model model;
  const Kernels *kernels;
  pthread_mutex_t lock;
  int packed;
  const char *error; // why packing failed
} Kernel;

// A tensor that a graph gives to an operator.
typedef struct {
  void *data;
  int type;
  size_t axes;
  int64_t dims[3];
} Input;

#define TRY(CALL)                                                                                                     \
  do {                                                                                                                \
    OrtStatus *status_ = (CALL);                                                                                      \
    if (status_) return status_;                                                                                      \
  } while (0)
#define CHECK(CONDITION, MESSAGE)                                                                                     \
  if (!(CONDITION)) return api->CreateStatus(ORT_INVALID_ARGUMENT, MESSAGE)


OrtStatus *get_input(OrtKernelContext *context, size_t index, Input *input);
OrtStatus *create_kernel(int decoder, const OrtKernelInfo *info, void **out);
void destroy_kernel(void *kernel);
OrtStatus *pack_once(Kernel *k, OrtKernelContext *context, size_t inputs);
OrtStatus *run_encode(void *kernel, OrtKernelContext *context);
OrtStatus *run_decode(void *kernel, OrtKernelContext *context);
