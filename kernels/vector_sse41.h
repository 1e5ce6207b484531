// Sixteen floats on SSE4.1, for processors without AVX2: many Celerons, Pentiums and Atoms, and all before 2013.
#include <smmintrin.h>

typedef struct {
  __m128 q[4];
} Vector;
enum { TILE = 2 };
#define EACH                                                                                                          \
  _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
static INLINE Vector load(const float *p) {
  return (Vector){{_mm_loadu_ps(p), _mm_loadu_ps(p + 4), _mm_loadu_ps(p + 8), _mm_loadu_ps(p + 12)}};
}
static INLINE Vector load_first(const float *p, int n) {
  float padded[16] = {0};
  memcpy(padded, p, n * sizeof *p);
  return load(padded);
}
static INLINE Vector load_half(const uint16_t *p) {
  Vector r;
  EACH {
    // The product moves the exponent's bias and makes small numbers normal; infinities and NaN keep the largest
    // exponent.
    __m128i h = _mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(p + 4 * i)));
    __m128i a = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x7fff)), 13);
    __m128i endless = _mm_and_si128(_mm_cmpgt_epi32(a, _mm_set1_epi32(0x0f7fffff)), _mm_set1_epi32(0x7f800000));
    __m128i sign = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x8000)), 16);
    __m128 scaled = _mm_mul_ps(_mm_castsi128_ps(a), _mm_set1_ps(0x1p112f));
    r.q[i] = _mm_or_ps(scaled, _mm_castsi128_ps(_mm_or_si128(endless, sign)));
  }
  return r;
}
static INLINE Vector load_quad(const float *p) {
  __m128 a = _mm_loadu_ps(p);
  return (Vector){{a, a, a, a}};
}
static INLINE void store(float *p, Vector a) { EACH _mm_storeu_ps(p + 4 * i, a.q[i]); }
static INLINE Vector all(float x) {
  __m128 a = _mm_set1_ps(x);
  return (Vector){{a, a, a, a}};
}
#define TWO(NAME, F)                                                                                                  \
  static INLINE Vector NAME(Vector a, Vector b) {                                                                     \
    EACH a.q[i] = F(a.q[i], b.q[i]);                                                                                  \
    return a;                                                                                                         \
  }
TWO(add, _mm_add_ps)
TWO(sub, _mm_sub_ps)
TWO(mul, _mm_mul_ps)
TWO(quotient, _mm_div_ps)
TWO(smaller, _mm_min_ps)
TWO(larger, _mm_max_ps)
#undef TWO

static __attribute__((noinline, cold)) Vector fma_one_by_one(const Vector *a, const Vector *b, Vector c) {
  float x[16], y[16], z[16];
  store(x, *a), store(y, *b), store(z, c);
  for (int i = 0; i < 16; i++) z[i] = fmaf(x[i], y[i], z[i]);
  return load(z);
}
// There is no fused instruction. A product of floats is exact in double precision, so the sum is rounded to 53 bits,
// then to 24. Rounding twice errs only where the first result lies halfway between two floats, which are 29 bits apart,
// or where floats have fewer bits because they are small. Such vectors are rare and go to the C library.
static INLINE Vector fma_(Vector a, Vector b, Vector c) {
  __m128i halfway = _mm_setzero_si128(), least = _mm_set1_epi32(-1);
  Vector r;
  EACH {
    __m128d l = _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(a.q[i]), _mm_cvtps_pd(b.q[i])), _mm_cvtps_pd(c.q[i]));
#define HIGH(X) _mm_cvtps_pd(_mm_movehl_ps(X, X))
    __m128d h = _mm_add_pd(_mm_mul_pd(HIGH(a.q[i]), HIGH(b.q[i])), HIGH(c.q[i]));
#undef HIGH
    // Of the four doubles, the lower halves of their bits.
    __m128i low = _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(l), _mm_castpd_ps(h), 0x88));
    halfway = _mm_or_si128(halfway, _mm_cmpeq_epi32(_mm_slli_epi32(low, 3), _mm_set1_epi32((int)0x80000000)));
    r.q[i] = _mm_movelh_ps(_mm_cvtpd_ps(l), _mm_cvtpd_ps(h));
    // Twice the magnitude as an integer, less one: of zero, the largest.
    __m128i twice = _mm_slli_epi32(_mm_castps_si128(r.q[i]), 1);
    least = _mm_min_epu32(least, _mm_add_epi32(twice, _mm_set1_epi32(-1)));
  }
  const __m128i bound = _mm_set1_epi32(0x01000000); // of normal numbers, twice the smallest
  halfway = _mm_or_si128(halfway, _mm_cmpeq_epi32(_mm_max_epu32(least, bound), bound));
  if (__builtin_expect(_mm_movemask_epi8(halfway), 0)) return fma_one_by_one(&a, &b, c);
  return r;
}
static INLINE Vector magnitude(Vector a) {
  EACH a.q[i] = _mm_andnot_ps(_mm_set1_ps(-0.0f), a.q[i]);
  return a;
}
static INLINE Vector whole(Vector a) {
  EACH a.q[i] = _mm_round_ps(a.q[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return a;
}
static INLINE Vector scaled(Vector a, Vector n) {
  EACH a.q[i] = _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(a.q[i]), _mm_slli_epi32(_mm_cvtps_epi32(n.q[i]), 23)));
  return a;
}
static INLINE uint32_t at_least(Vector a, Vector b) {
  uint32_t found = 0;
  EACH found |= (uint32_t)_mm_movemask_ps(_mm_cmpge_ps(a.q[i], b.q[i])) << 4 * i;
  return found;
}
static INLINE __m128 quarters(__m128 a, __m128 b, __m128 c, __m128 d) {
  __m128 ab = _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
  __m128 cd = _mm_add_ps(_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
  return _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
}
static INLINE void sums(Vector a, Vector b, Vector c, Vector d, float *out) {
  __m128 q[4];
  EACH q[i] = quarters(a.q[i], b.q[i], c.q[i], d.q[i]);
  _mm_storeu_ps(out, _mm_add_ps(_mm_add_ps(q[0], q[2]), _mm_add_ps(q[1], q[3])));
}
static INLINE Vector fold_sum(Vector a) {
  __m128 q = _mm_add_ps(_mm_add_ps(a.q[0], a.q[2]), _mm_add_ps(a.q[1], a.q[3]));
  return (Vector){{q, q, q, q}};
}
static INLINE Vector fold_larger(Vector a) {
  __m128 q = _mm_max_ps(_mm_max_ps(a.q[0], a.q[2]), _mm_max_ps(a.q[1], a.q[3]));
  return (Vector){{q, q, q, q}};
}
static INLINE float largest(Vector a) {
  __m128 quad = fold_larger(a).q[0];
  quad = _mm_max_ps(quad, _mm_movehl_ps(quad, quad));
  return _mm_cvtss_f32(_mm_max_ss(quad, _mm_shuffle_ps(quad, quad, 1)));
}
// Transposes sixteen rows.
static INLINE void transpose(Vector *r) {
  Vector columns[16];
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 4; j++) {
      __m128 a = r[i].q[j], b = r[i + 1].q[j], c = r[i + 2].q[j], d = r[i + 3].q[j];
      _MM_TRANSPOSE4_PS(a, b, c, d);
      columns[4 * j].q[i / 4] = a, columns[4 * j + 1].q[i / 4] = b;
      columns[4 * j + 2].q[i / 4] = c, columns[4 * j + 3].q[i / 4] = d;
    }
  memcpy(r, columns, sizeof columns);
}

typedef __m128i Ints;
enum { INTS = 4, WIDE = 4, ROWS = 2, BYTE_BIAS = 128 }; // bytes are signed, see dot
static INLINE void store_bytes(uint8_t *p, Vector a, int offset) {
  __m128i n[4];
  EACH n[i] = _mm_add_epi32(_mm_cvtps_epi32(a.q[i]), _mm_set1_epi32(offset - BYTE_BIAS));
  _mm_storeu_si128((__m128i *)p, _mm_packs_epi16(_mm_packs_epi32(n[0], n[1]), _mm_packs_epi32(n[2], n[3])));
}
#undef EACH
static INLINE Ints load_ints(const int32_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static INLINE Ints load_weights(const int8_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static INLINE Ints broadcast(const uint8_t *p) {
  int32_t four;
  memcpy(&four, p, 4);
  return _mm_set1_epi32(four);
}
// As in vector_avx2.h: the activations' sign goes to the weights, so that the sums of two products fit 16 bits.
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) {
  Ints pairs = _mm_maddubs_epi16(_mm_abs_epi8(bytes), _mm_sign_epi8(weights, bytes));
  return _mm_add_epi32(sum, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
}
static INLINE Vector to_floats(const Ints *c) {
  return (Vector){{_mm_cvtepi32_ps(c[0]), _mm_cvtepi32_ps(c[1]), _mm_cvtepi32_ps(c[2]), _mm_cvtepi32_ps(c[3])}};
}
static INLINE void prefetch(const void *p) { _mm_prefetch((const char *)p, _MM_HINT_T0); }
