// Sixteen floats on NEON; 8-bit dot products of signed bytes by its instructions SDOT and SMMLA, or without them.
#include <arm_neon.h>

typedef struct {
  float32x4_t q[4];
} Vector;
enum { TILE = 2 };
#define EACH for (int i = 0; i < 4; i++)
static INLINE Vector load(const float *p) {
  return (Vector){{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}
static INLINE Vector load_first(const float *p, int n) {
  float padded[16] = {0};
  memcpy(padded, p, n * sizeof *p);
  return load(padded);
}
static INLINE Vector load_half(const uint16_t *p) {
  Vector r;
  EACH r.q[i] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p + 4 * i)));
  return r;
}
static INLINE Vector load_quad(const float *p) {
  float32x4_t a = vld1q_f32(p);
  return (Vector){{a, a, a, a}};
}
static INLINE void store(float *p, Vector a) { EACH vst1q_f32(p + 4 * i, a.q[i]); }
static INLINE Vector all(float x) {
  float32x4_t a = vdupq_n_f32(x);
  return (Vector){{a, a, a, a}};
}
#define TWO(NAME, F)                                                                                                  \
  static INLINE Vector NAME(Vector a, Vector b) {                                                                     \
    EACH a.q[i] = F(a.q[i], b.q[i]);                                                                                  \
    return a;                                                                                                         \
  }
TWO(add, vaddq_f32)
TWO(sub, vsubq_f32)
TWO(mul, vmulq_f32)
TWO(quotient, vdivq_f32)
TWO(smaller, vminq_f32)
TWO(larger, vmaxq_f32)
#undef TWO
static INLINE Vector fma_(Vector a, Vector b, Vector c) {
  EACH c.q[i] = vfmaq_f32(c.q[i], a.q[i], b.q[i]);
  return c;
}
static INLINE Vector magnitude(Vector a) {
  EACH a.q[i] = vabsq_f32(a.q[i]);
  return a;
}
static INLINE Vector whole(Vector a) {
  EACH a.q[i] = vrndnq_f32(a.q[i]);
  return a;
}
static INLINE Vector scaled(Vector a, Vector n) {
  EACH a.q[i] = vmulq_f32(a.q[i],
                          vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(n.q[i]), vdupq_n_s32(127)), 23)));
  return a;
}
static INLINE uint32_t at_least(Vector a, Vector b) {
  static const uint32_t bits[4] = {1, 2, 4, 8};
  uint32_t found = 0;
  EACH found |= vaddvq_u32(vandq_u32(vcgeq_f32(a.q[i], b.q[i]), vld1q_u32(bits))) << 4 * i;
  return found;
}
static INLINE float32x4_t quarters(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d) {
  float64x2_t x = vreinterpretq_f64_f32(vaddq_f32(vzip1q_f32(a, b), vzip2q_f32(a, b)));
  float64x2_t y = vreinterpretq_f64_f32(vaddq_f32(vzip1q_f32(c, d), vzip2q_f32(c, d)));
  return vaddq_f32(vreinterpretq_f32_f64(vzip1q_f64(x, y)), vreinterpretq_f32_f64(vzip2q_f64(x, y)));
}
static INLINE void sums(Vector a, Vector b, Vector c, Vector d, float *out) {
  float32x4_t q[4];
  EACH q[i] = quarters(a.q[i], b.q[i], c.q[i], d.q[i]);
  vst1q_f32(out, vaddq_f32(vaddq_f32(q[0], q[2]), vaddq_f32(q[1], q[3])));
}
static INLINE Vector fold_sum(Vector a) {
  float32x4_t q = vaddq_f32(vaddq_f32(a.q[0], a.q[2]), vaddq_f32(a.q[1], a.q[3]));
  return (Vector){{q, q, q, q}};
}
static INLINE Vector fold_larger(Vector a) {
  float32x4_t q = vmaxq_f32(vmaxq_f32(a.q[0], a.q[2]), vmaxq_f32(a.q[1], a.q[3]));
  return (Vector){{q, q, q, q}};
}
static INLINE float largest(Vector a) { return vmaxvq_f32(fold_larger(a).q[0]); }
// The sums of products take signed bytes, so 128 is subtracted from all; BYTE_BIAS cancels that.
static INLINE void store_bytes(uint8_t *p, Vector a, int offset) {
  int32x4_t o = vdupq_n_s32(offset - 128), n[4];
  EACH n[i] = vaddq_s32(vcvtnq_s32_f32(a.q[i]), o);
  int16x8_t l = vcombine_s16(vqmovn_s32(n[0]), vqmovn_s32(n[1])), h = vcombine_s16(vqmovn_s32(n[2]), vqmovn_s32(n[3]));
  vst1q_s8((int8_t *)p, vcombine_s8(vqmovn_s16(l), vqmovn_s16(h)));
}
// Transposes sixteen rows.
static INLINE void transpose(Vector *r) {
  Vector columns[16];
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 4; j++) {
      float32x4_t a = vtrn1q_f32(r[i].q[j], r[i + 1].q[j]), b = vtrn2q_f32(r[i].q[j], r[i + 1].q[j]);
      float32x4_t c = vtrn1q_f32(r[i + 2].q[j], r[i + 3].q[j]), d = vtrn2q_f32(r[i + 2].q[j], r[i + 3].q[j]);
#define HALVES(WHICH, X, Y) \
  vreinterpretq_f32_f64(WHICH(vreinterpretq_f64_f32(X), vreinterpretq_f64_f32(Y)))
      columns[4 * j].q[i / 4] = HALVES(vtrn1q_f64, a, c), columns[4 * j + 1].q[i / 4] = HALVES(vtrn1q_f64, b, d);
      columns[4 * j + 2].q[i / 4] = HALVES(vtrn2q_f64, a, c), columns[4 * j + 3].q[i / 4] = HALVES(vtrn2q_f64, b, d);
#undef HALVES
    }
  memcpy(r, columns, sizeof columns);
}
#undef EACH

typedef int32x4_t Ints;
enum { INTS = 4, WIDE = 4, ROWS = 4, BYTE_BIAS = 128 };
static INLINE Ints load_ints(const int32_t *p) { return vld1q_s32(p); }
static INLINE Ints load_weights(const int8_t *p) { return vreinterpretq_s32_s8(vld1q_s8(p)); }
static INLINE Ints broadcast(const uint8_t *p) {
  int32_t four;
  memcpy(&four, p, 4);
  return vdupq_n_s32(four);
}
#ifdef __ARM_FEATURE_DOTPROD
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) {
  return vdotq_s32(sum, vreinterpretq_s8_s32(bytes), vreinterpretq_s8_s32(weights));
}
#else // processors before ARMv8.2, as the Cortex-A72 of a Raspberry Pi 4
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) {
  int8x16_t a = vreinterpretq_s8_s32(bytes), w = vreinterpretq_s8_s32(weights);
  int16x8_t l = vmull_s8(vget_low_s8(a), vget_low_s8(w)), h = vmull_high_s8(a, w);
  return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(l), vpaddlq_s16(h)));
}
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
// SMMLA multiplies two rows of eight bytes with two columns of eight: twice the products of SDOT.
#define PAIRS
static INLINE Ints first_halves(Ints a, Ints b) {
  return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}
static INLINE Ints last_halves(Ints a, Ints b) {
  return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}
static INLINE Ints first_columns(Ints inputs, Ints next) { return vzip1q_s32(inputs, next); }
static INLINE Ints last_columns(Ints inputs, Ints next) { return vzip2q_s32(inputs, next); }
static INLINE Ints two_rows(const uint8_t *p, size_t stride) {
  return vreinterpretq_s32_u8(vcombine_u8(vld1_u8(p), vld1_u8(p + stride)));
}
static INLINE Ints dot_pairs(Ints sum, Ints rows, Ints columns) {
  return vmmlaq_s32(sum, vreinterpretq_s8_s32(rows), vreinterpretq_s8_s32(columns));
}
#endif
static INLINE Vector to_floats(const Ints *c) {
  return (Vector){{vcvtq_f32_s32(c[0]), vcvtq_f32_s32(c[1]), vcvtq_f32_s32(c[2]), vcvtq_f32_s32(c[3])}};
}
static INLINE void prefetch(const void *p) { __builtin_prefetch(p); }
