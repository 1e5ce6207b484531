// Describes the operators to ONNX Runtime: names, inputs, outputs, types; and the library's entry points.
#include "operators.h"

const OrtApi *_Atomic api;
const Kernels *_Atomic chosen_kernels;

static OrtStatus *create_encode(const OrtCustomOp *op, const OrtApi *a, const OrtKernelInfo *info, void **out) {
  (void)op, (void)a;
  return create_kernel(0, info, out);
}
static OrtStatus *create_decode(const OrtCustomOp *op, const OrtApi *a, const OrtKernelInfo *info, void **out) {
  (void)op, (void)a;
  return create_kernel(1, info, out);
}
static const char *name_encode(const OrtCustomOp *op) { return (void)op, "Encode"; }
static const char *name_decode(const OrtCustomOp *op) { return (void)op, "Decode"; }
static const char *provider(const OrtCustomOp *op) { return (void)op, NULL; } // the CPU
static size_t inputs_encode(const OrtCustomOp *op) { return (void)op, ENCODE_INPUTS + 1; }
static size_t inputs_decode(const OrtCustomOp *op) { return (void)op, DECODE_INPUTS + 1; }
static size_t outputs_encode(const OrtCustomOp *op) { return (void)op, 1; }
static size_t outputs_decode(const OrtCustomOp *op) { return (void)op, DECODE_OUTPUTS + STATE_OUTPUTS; }
static int type_encode(const OrtCustomOp *op, size_t i) { return (void)op, i < ENCODE_INPUTS ? INT64 : ANY; }
static int type_decode(const OrtCustomOp *op, size_t i) {
  static const int types[] = {FLOAT, INT64, DOUBLE, INT32, INT64, INT32, INT32, DOUBLE, INT64, INT32, INT32, INT64,
                              ANY};
  return (void)op, types[i];
}
static int result_encode(const OrtCustomOp *op, size_t i) { return (void)op, (void)i, FLOAT; }
static int result_decode(const OrtCustomOp *op, size_t i) {
  static const int types[] = {DOUBLE, INT64, INT64, INT64, INT32, FLOAT, INT8, FLOAT};
  return (void)op, types[i];
}
static int kind_encode(const OrtCustomOp *op, size_t i) { return (void)op, i < ENCODE_INPUTS ? REQUIRED : VARIADIC; }
static int kind_decode(const OrtCustomOp *op, size_t i) { return (void)op, i < DECODE_INPUTS ? REQUIRED : VARIADIC; }
static int kind_result(const OrtCustomOp *op, size_t i) { return (void)op, i < DECODE_OUTPUTS ? REQUIRED : OPTIONAL; }
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
   .KernelDestroy = destroy_kernel,                                                                                   \
   .GetInputCharacteristic = kind_##WHICH,                                                                            \
   .GetOutputCharacteristic = kind_result,                                                                            \
   .GetInputMemoryType = memory_type,                                                                                 \
   .GetVariadicInputMinArity = one,                                                                                   \
   .GetVariadicInputHomogeneity = zero,                                                                               \
   .GetVariadicOutputMinArity = one,                                                                                  \
   .GetVariadicOutputHomogeneity = zero,                                                                              \
   .CreateKernelV2 = create_##WHICH,                                                                                  \
   .KernelComputeV2 = run_##WHICH,                                                                                    \
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

// Chooses the kernels of all graphs that are opened from now on: the fastest, or the named ones. Returns their name, or
// an empty string if the processor can't run them.
PUBLIC const char *dragoman_kernels(const char *name) {
  const Kernels *k = choose_kernels(name);
  if (k) chosen_kernels = k;
  return k ? k->name : "";
}
