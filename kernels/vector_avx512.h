// Sixteen floats, and 8-bit dot products, on AVX-512 with VNNI. Every vector_*.h defines the same names.
#include <immintrin.h>

typedef __m512 Vector;
enum { TILE = 4 }; // TILE * TILE sums and their factors fit the registers
static INLINE Vector load(const float *p) { return _mm512_loadu_ps(p); }
static INLINE Vector load_first(const float *p, int n) { return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p); }
static INLINE Vector load_half(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
static INLINE Vector load_quad(const float *p) { return _mm512_broadcast_f32x4(_mm_loadu_ps(p)); }
static INLINE void store(float *p, Vector a) { _mm512_storeu_ps(p, a); }
static INLINE Vector all(float x) { return _mm512_set1_ps(x); }
static INLINE Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
static INLINE Vector sub(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
static INLINE Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
static INLINE Vector quotient(Vector a, Vector b) { return _mm512_div_ps(a, b); }
static INLINE Vector fma_(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
static INLINE Vector smaller(Vector a, Vector b) { return _mm512_min_ps(a, b); }
static INLINE Vector larger(Vector a, Vector b) { return _mm512_max_ps(a, b); }
static INLINE Vector magnitude(Vector a) { return _mm512_abs_ps(a); }
static INLINE Vector whole(Vector a) { return _mm512_roundscale_ps(a, 8); }
// a * 2^n for whole n; neither a nor the result may be subnormal or infinite
static INLINE Vector scaled(Vector a, Vector n) {
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_slli_epi32(_mm512_cvtps_epi32(n), 23)));
}
static INLINE uint32_t at_least(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }

// Quarters of four vectors, summed as (x0 + x2) + (x1 + x3), one sum of each vector side by side.
static INLINE Vector quarters(Vector a, Vector b, Vector c, Vector d) {
  Vector ab = add(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  Vector cd = add(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
  __m512d x = _mm512_castps_pd(ab), y = _mm512_castps_pd(cd);
  return add(_mm512_castpd_ps(_mm512_unpacklo_pd(x, y)), _mm512_castpd_ps(_mm512_unpackhi_pd(x, y)));
}
// The sums of four vectors: their quarters as (q0 + q2) + (q1 + q3).
static INLINE void sums(Vector a, Vector b, Vector c, Vector d, float *out) {
  Vector q = quarters(a, b, c, d);
  __m256 half = _mm256_add_ps(_mm512_castps512_ps256(q), _mm512_extractf32x8_ps(q, 1));
  _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
}
// The sum of the four quarters, lane by lane, in all of them.
static INLINE Vector fold_sum(Vector a) {
  a = add(a, _mm512_shuffle_f32x4(a, a, 0x4e));
  return add(a, _mm512_shuffle_f32x4(a, a, 0xb1));
}
static INLINE Vector fold_larger(Vector a) {
  a = larger(a, _mm512_shuffle_f32x4(a, a, 0x4e));
  return larger(a, _mm512_shuffle_f32x4(a, a, 0xb1));
}
static INLINE float largest(Vector a) { return _mm512_reduce_max_ps(a); }

// Transposes sixteen rows.
static INLINE void transpose(Vector *r) {
  Vector a[16];
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) { // within quarters: 4 by 4
    Vector x = _mm512_unpacklo_ps(r[i], r[i + 1]), y = _mm512_unpackhi_ps(r[i], r[i + 1]);
    Vector z = _mm512_unpacklo_ps(r[i + 2], r[i + 3]), w = _mm512_unpackhi_ps(r[i + 2], r[i + 3]);
    a[i] = _mm512_shuffle_ps(x, z, 0x44), a[i + 1] = _mm512_shuffle_ps(x, z, 0xee);
    a[i + 2] = _mm512_shuffle_ps(y, w, 0x44), a[i + 3] = _mm512_shuffle_ps(y, w, 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) { // the quarters themselves
    Vector x = _mm512_shuffle_f32x4(a[i], a[i + 4], 0x88), y = _mm512_shuffle_f32x4(a[i], a[i + 4], 0xdd);
    Vector z = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0x88), w = _mm512_shuffle_f32x4(a[i + 8], a[i + 12], 0xdd);
    r[i] = _mm512_shuffle_f32x4(x, z, 0x88), r[i + 8] = _mm512_shuffle_f32x4(x, z, 0xdd);
    r[i + 4] = _mm512_shuffle_f32x4(y, w, 0x88), r[i + 12] = _mm512_shuffle_f32x4(y, w, 0xdd);
  }
}

// Sixteen numbers within -127 and 127, or 0 and 255, as bytes, with the offset added.
static INLINE void store_bytes(uint8_t *p, Vector a, int offset) {
  __m512i bytes = _mm512_add_epi32(_mm512_cvtps_epi32(a), _mm512_set1_epi32(offset));
  _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8(bytes));
}

// ---- products: vectors of INTS sums, WIDE of them at a time, of up to ROWS rows
typedef __m512i Ints;
enum { INTS = 16, WIDE = 4, ROWS = 6, BYTE_BIAS = 0 };
static INLINE Ints load_ints(const int32_t *p) { return _mm512_loadu_si512(p); }
static INLINE Ints load_weights(const int8_t *p) { return _mm512_loadu_si512(p); }
static INLINE Ints broadcast(const uint8_t *p) {
  int32_t four;
  memcpy(&four, p, 4);
  return _mm512_set1_epi32(four);
}
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) {
#ifdef __clang__
  return _mm512_dpbusd_epi32(sum, bytes, weights);
#else
  // gcc 12 copies the sums of a loop that has more than 16: half the speed. With "+v" it doesn't.
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(bytes), "v"(weights));
  return sum;
#endif
}
static INLINE Vector to_floats(const Ints *c) { return _mm512_cvtepi32_ps(c[0]); }
static INLINE void prefetch(const void *p) { _mm_prefetch((const char *)p, _MM_HINT_T0); }
