// The parts of ONNX Runtime's C interface that the operators use; its Python packages come without headers. The first
// version of OrtApi is a table of 102 functions whose order is fixed for good, and so is the order of OrtCustomOp.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct OrtStatus OrtStatus;
typedef struct OrtValue OrtValue;
typedef struct OrtShape OrtShape;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOp OrtCustomOp;

typedef struct {
  OrtStatus *(*CreateStatus)(int code, const char *message); // 0
  void *unused_1[25];
  OrtStatus *(*CreateCustomOpDomain)(const char *domain, OrtCustomOpDomain **out); // 26
  OrtStatus *(*CustomOpDomain_Add)(OrtCustomOpDomain *domain, const OrtCustomOp *op);
  OrtStatus *(*AddCustomOpDomain)(OrtSessionOptions *options, OrtCustomOpDomain *domain);
  void *unused_29[22];
  OrtStatus *(*GetTensorMutableData)(OrtValue *value, void **out); // 51
  void *unused_52[8];
  OrtStatus *(*GetTensorElementType)(const OrtShape *shape, int *out); // 60
  OrtStatus *(*GetDimensionsCount)(const OrtShape *shape, size_t *out);
  OrtStatus *(*GetDimensions)(const OrtShape *shape, int64_t *out, size_t count);
  void *unused_63[2];
  OrtStatus *(*GetTensorTypeAndShape)(const OrtValue *value, OrtShape **out); // 65
  void *unused_66[19];
  OrtStatus *(*KernelInfoGetAttribute_float)(const OrtKernelInfo *info, const char *name, float *out); // 85
  OrtStatus *(*KernelInfoGetAttribute_int64)(const OrtKernelInfo *info, const char *name, int64_t *out);
  void *unused_87;
  OrtStatus *(*KernelContext_GetInputCount)(const OrtKernelContext *context, size_t *out); // 88
  void *unused_89;
  OrtStatus *(*KernelContext_GetInput)(const OrtKernelContext *context, size_t index, const OrtValue **out); // 90
  OrtStatus *(*KernelContext_GetOutput)(OrtKernelContext *context, size_t index, const int64_t *dims, size_t count,
                                        OrtValue **out);
  void *unused_92;
  void (*ReleaseStatus)(OrtStatus *status); // 93
  void *unused_94[5];
  void (*ReleaseTensorTypeAndShapeInfo)(OrtShape *shape); // 99
  void *unused_100[2];
} OrtApi;

_Static_assert(offsetof(OrtApi, ReleaseTensorTypeAndShapeInfo) == 99 * sizeof(void *),
               "a function of OrtApi is missing");

typedef struct {
  const OrtApi *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} OrtApiBase;

enum { ORT_API_USED = 17, ORT_FAIL = 1, ORT_INVALID_ARGUMENT = 2 };
enum { ANY = 0, FLOAT = 1, INT8 = 3, INT32 = 6, INT64 = 7, FLOAT16 = 10, DOUBLE = 11 };
enum { REQUIRED, OPTIONAL, VARIADIC };

struct OrtCustomOp {
  uint32_t version; // ONNX Runtime ignores the callbacks of later versions
  void *(*CreateKernel)(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info);
  const char *(*GetName)(const OrtCustomOp *op);
  const char *(*GetExecutionProviderType)(const OrtCustomOp *op);
  int (*GetInputType)(const OrtCustomOp *op, size_t index);
  size_t (*GetInputTypeCount)(const OrtCustomOp *op);
  int (*GetOutputType)(const OrtCustomOp *op, size_t index);
  size_t (*GetOutputTypeCount)(const OrtCustomOp *op);
  void (*KernelCompute)(void *kernel, OrtKernelContext *context);
  void (*KernelDestroy)(void *kernel);
  int (*GetInputCharacteristic)(const OrtCustomOp *op, size_t index);
  int (*GetOutputCharacteristic)(const OrtCustomOp *op, size_t index);
  int (*GetInputMemoryType)(const OrtCustomOp *op, size_t index);
  int (*GetVariadicInputMinArity)(const OrtCustomOp *op);
  int (*GetVariadicInputHomogeneity)(const OrtCustomOp *op);
  int (*GetVariadicOutputMinArity)(const OrtCustomOp *op);
  int (*GetVariadicOutputHomogeneity)(const OrtCustomOp *op);
  OrtStatus *(*CreateKernelV2)(const OrtCustomOp *op, const OrtApi *api, const OrtKernelInfo *info, void **kernel);
  OrtStatus *(*KernelComputeV2)(void *kernel, OrtKernelContext *context);
  void *(*InferOutputShape)(const OrtCustomOp *op, void *context);
  int (*GetStartVersion)(const OrtCustomOp *op);
  int (*GetEndVersion)(const OrtCustomOp *op);
};
