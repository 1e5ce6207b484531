// Sixteen floats on AVX2, F16C and FMA; 8-bit dot products by AVX-VNNI if VNNI is defined, else exactly by AVX2.
#include <immintrin.h>

typedef struct {
  __m256 l, h;
} Vector;
enum { TILE = 2 };
static INLINE Vector load(const float *p) { return (Vector){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
static INLINE Vector load_first(const float *p, int n) {
  float padded[16] = {0};
  memcpy(padded, p, n * sizeof *p);
  return load(padded);
}
static INLINE Vector load_half(const uint16_t *p) {
  return (Vector){_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)),
                  _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + 8)))};
}
static INLINE Vector load_quad(const float *p) {
  __m256 twice = _mm256_broadcast_ps((const __m128 *)p);
  return (Vector){twice, twice};
}
static INLINE void store(float *p, Vector a) {
  _mm256_storeu_ps(p, a.l);
  _mm256_storeu_ps(p + 8, a.h);
}
static INLINE Vector all(float x) { return (Vector){_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
#define TWO(NAME, F)                                                                                                  \
  static INLINE Vector NAME(Vector a, Vector b) { return (Vector){F(a.l, b.l), F(a.h, b.h)}; }
TWO(add, _mm256_add_ps)
TWO(sub, _mm256_sub_ps)
TWO(mul, _mm256_mul_ps)
TWO(quotient, _mm256_div_ps)
TWO(smaller, _mm256_min_ps)
TWO(larger, _mm256_max_ps)
#undef TWO
static INLINE Vector fma_(Vector a, Vector b, Vector c) {
  return (Vector){_mm256_fmadd_ps(a.l, b.l, c.l), _mm256_fmadd_ps(a.h, b.h, c.h)};
}
static INLINE Vector magnitude(Vector a) {
  __m256 sign = _mm256_set1_ps(-0.0f);
  return (Vector){_mm256_andnot_ps(sign, a.l), _mm256_andnot_ps(sign, a.h)};
}
static INLINE Vector whole(Vector a) {
  return (Vector){_mm256_round_ps(a.l, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
                  _mm256_round_ps(a.h, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
static INLINE __m256 scaled_half(__m256 a, __m256 n) {
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23)));
}
static INLINE Vector scaled(Vector a, Vector n) { return (Vector){scaled_half(a.l, n.l), scaled_half(a.h, n.h)}; }
static INLINE uint32_t at_least(Vector a, Vector b) {
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.l, b.l, _CMP_GE_OQ)) |
         (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a.h, b.h, _CMP_GE_OQ)) << 8;
}
static INLINE __m256 quarters(__m256 a, __m256 b, __m256 c, __m256 d) {
  __m256 ab = _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
  __m256 cd = _mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
  __m256d x = _mm256_castps_pd(ab), y = _mm256_castps_pd(cd);
  return _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(x, y)), _mm256_castpd_ps(_mm256_unpackhi_pd(x, y)));
}
static INLINE void sums(Vector a, Vector b, Vector c, Vector d, float *out) {
  __m256 half = _mm256_add_ps(quarters(a.l, b.l, c.l, d.l), quarters(a.h, b.h, c.h, d.h));
  _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}
static INLINE Vector fold_sum(Vector a) {
  __m256 half = _mm256_add_ps(a.l, a.h);
  half = _mm256_add_ps(half, _mm256_permute2f128_ps(half, half, 1));
  return (Vector){half, half};
}
static INLINE Vector fold_larger(Vector a) {
  __m256 half = _mm256_max_ps(a.l, a.h);
  half = _mm256_max_ps(half, _mm256_permute2f128_ps(half, half, 1));
  return (Vector){half, half};
}
static INLINE float largest(Vector a) {
  __m128 quad = _mm256_castps256_ps128(fold_larger(a).l);
  quad = _mm_max_ps(quad, _mm_movehl_ps(quad, quad));
  return _mm_cvtss_f32(_mm_max_ss(quad, _mm_shuffle_ps(quad, quad, 1)));
}
static INLINE void transpose_half(__m256 *r) {
  __m256 a[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) { // within lanes of 128 bits: 4 by 4
    __m256 x = _mm256_unpacklo_ps(r[i], r[i + 1]), y = _mm256_unpackhi_ps(r[i], r[i + 1]);
    __m256 z = _mm256_unpacklo_ps(r[i + 2], r[i + 3]), w = _mm256_unpackhi_ps(r[i + 2], r[i + 3]);
    a[i] = _mm256_shuffle_ps(x, z, 0x44), a[i + 1] = _mm256_shuffle_ps(x, z, 0xee);
    a[i + 2] = _mm256_shuffle_ps(y, w, 0x44), a[i + 3] = _mm256_shuffle_ps(y, w, 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    r[i] = _mm256_permute2f128_ps(a[i], a[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(a[i], a[i + 4], 0x31);
  }
}
// Transposes sixteen rows.
static INLINE void transpose(Vector *r) {
  __m256 part[4][8]; // top left, bottom left, top right, bottom right
  for (int i = 0; i < 8; i++)
    part[0][i] = r[i].l, part[1][i] = r[i + 8].l, part[2][i] = r[i].h, part[3][i] = r[i + 8].h;
  for (int i = 0; i < 4; i++) transpose_half(part[i]);
  for (int i = 0; i < 8; i++) r[i] = (Vector){part[0][i], part[1][i]}, r[i + 8] = (Vector){part[2][i], part[3][i]};
}
#ifdef VNNI
enum { INTS = 8, WIDE = 2, ROWS = 4, BYTE_BIAS = 0 };
#else
enum { INTS = 8, WIDE = 2, ROWS = 4, BYTE_BIAS = 128 }; // bytes are signed, see dot
#endif
static INLINE void store_bytes(uint8_t *p, Vector a, int offset) {
  // Packed within lanes of 128 bits: the bytes of l and h come out as 0-3, 8-11, 4-7, 12-15.
  __m256i o = _mm256_set1_epi32(offset - BYTE_BIAS);
  __m256i l = _mm256_add_epi32(_mm256_cvtps_epi32(a.l), o), h = _mm256_add_epi32(_mm256_cvtps_epi32(a.h), o);
  __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(l, h), 0xd8);
  __m128i first = _mm256_castsi256_si128(words), last = _mm256_extracti128_si256(words, 1);
  _mm_storeu_si128((__m128i *)p, BYTE_BIAS ? _mm_packs_epi16(first, last) : _mm_packus_epi16(first, last));
}

typedef __m256i Ints;
static INLINE Ints load_ints(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static INLINE Ints load_weights(const int8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static INLINE Ints broadcast(const uint8_t *p) {
  int32_t four;
  memcpy(&four, p, 4);
  return _mm256_set1_epi32(four);
}
#ifdef VNNI
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) { return _mm256_dpbusd_avx_epi32(sum, bytes, weights); }
#else
// vpmaddubsw adds two products of an unsigned and a signed byte in 16 bits. With signed activations, whose sign goes to
// the weights, they always fit: 2 * 128 * 127 is less than 2^15.
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) {
  Ints pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(bytes), _mm256_sign_epi8(weights, bytes));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
#endif
static INLINE Vector to_floats(const Ints *c) { return (Vector){_mm256_cvtepi32_ps(c[0]), _mm256_cvtepi32_ps(c[1])}; }
static INLINE void prefetch(const void *p) { _mm_prefetch((const char *)p, _MM_HINT_T0); }
