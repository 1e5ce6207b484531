// Sixteen floats in plain C, the reference that the other sets must equal to the last bit. For tests, and for
// processors that no other set runs on: seven times as slow as SSE4.1 or more.
typedef struct {
  float f[16];
} Vector;
enum { TILE = 2 };
#define EACH for (int i = 0; i < 16; i++)
static INLINE Vector load(const float *p) {
  Vector r;
  memcpy(r.f, p, sizeof r.f);
  return r;
}
static INLINE Vector load_first(const float *p, int n) {
  Vector r = {{0}};
  memcpy(r.f, p, n * sizeof *p);
  return r;
}
static INLINE float half_to_float(uint16_t h) {
  int exponent = h >> 10 & 31, digits = h & 1023;
  float a = exponent ? ldexpf((float)(1024 + digits), exponent - 25) : ldexpf((float)digits, -24);
  if (exponent == 31) a = digits ? NAN : INFINITY;
  return h & 0x8000 ? -a : a;
}
static INLINE Vector load_half(const uint16_t *p) {
  Vector r;
  EACH r.f[i] = half_to_float(p[i]);
  return r;
}
static INLINE Vector load_quad(const float *p) {
  Vector r;
  EACH r.f[i] = p[i % 4];
  return r;
}
static INLINE void store(float *p, Vector a) { memcpy(p, a.f, sizeof a.f); }
static INLINE Vector all(float x) {
  Vector r;
  EACH r.f[i] = x;
  return r;
}
#define TWO(NAME, EXPRESSION)                                                                                         \
  static INLINE Vector NAME(Vector a, Vector b) {                                                                     \
    EACH a.f[i] = EXPRESSION;                                                                                         \
    return a;                                                                                                         \
  }
TWO(add, a.f[i] + b.f[i])
TWO(sub, a.f[i] - b.f[i])
TWO(mul, a.f[i] * b.f[i])
TWO(quotient, a.f[i] / b.f[i])
TWO(smaller, a.f[i] < b.f[i] ? a.f[i] : b.f[i])
TWO(larger, a.f[i] > b.f[i] ? a.f[i] : b.f[i])
TWO(scaled, ldexpf(a.f[i], (int)b.f[i]))
#undef TWO
static INLINE Vector fma_(Vector a, Vector b, Vector c) {
  EACH c.f[i] = fmaf(a.f[i], b.f[i], c.f[i]);
  return c;
}
static INLINE Vector magnitude(Vector a) {
  EACH a.f[i] = fabsf(a.f[i]);
  return a;
}
static INLINE Vector whole(Vector a) {
  EACH a.f[i] = rintf(a.f[i]);
  return a;
}
static INLINE uint32_t at_least(Vector a, Vector b) {
  uint32_t found = 0;
  EACH found |= (uint32_t)(a.f[i] >= b.f[i]) << i;
  return found;
}
static INLINE void sums(Vector a, Vector b, Vector c, Vector d, float *out) {
  const Vector *each[4] = {&a, &b, &c, &d};
  for (int j = 0; j < 4; j++) {
    float q[4];
    for (int i = 0; i < 4; i++) {
      const float *x = each[j]->f + 4 * i;
      q[i] = (x[0] + x[2]) + (x[1] + x[3]);
    }
    out[j] = (q[0] + q[2]) + (q[1] + q[3]);
  }
}
static INLINE Vector fold_sum(Vector a) {
  Vector r;
  EACH r.f[i] = (a.f[i % 4] + a.f[i % 4 + 8]) + (a.f[i % 4 + 4] + a.f[i % 4 + 12]);
  return r;
}
static INLINE float larger_of(float a, float b) { return a > b ? a : b; }
static INLINE Vector fold_larger(Vector a) {
  Vector r;
  EACH r.f[i] = larger_of(larger_of(a.f[i % 4], a.f[i % 4 + 8]), larger_of(a.f[i % 4 + 4], a.f[i % 4 + 12]));
  return r;
}
static INLINE float largest(Vector a) {
  float most = a.f[0];
  EACH most = larger_of(a.f[i], most);
  return most;
}
static INLINE void transpose(Vector *r) {
  Vector columns[16];
  EACH for (int j = 0; j < 16; j++) columns[j].f[i] = r[i].f[j];
  memcpy(r, columns, sizeof columns);
}
static INLINE void store_bytes(uint8_t *p, Vector a, int offset) { EACH p[i] = (uint8_t)((int)rintf(a.f[i]) + offset); }

typedef struct {
  int32_t n[16];
} Ints;
enum { INTS = 16, WIDE = 4, ROWS = 1, BYTE_BIAS = 0 };
static INLINE Ints load_ints(const int32_t *p) {
  Ints r;
  memcpy(r.n, p, sizeof r.n);
  return r;
}
static INLINE Ints load_weights(const int8_t *p) { return load_ints((const int32_t *)(const void *)p); }
static INLINE Ints broadcast(const uint8_t *p) {
  Ints r;
  EACH memcpy(r.n + i, p, 4);
  return r;
}
static INLINE Ints dot(Ints sum, Ints bytes, Ints weights) {
  const uint8_t *a = (const uint8_t *)bytes.n;
  const int8_t *w = (const int8_t *)weights.n;
  for (int i = 0; i < 64; i++) sum.n[i / 4] += a[i] * w[i];
  return sum;
}
static INLINE Vector to_floats(const Ints *c) {
  Vector r;
  EACH r.f[i] = (float)c->n[i];
  return r;
}
#undef EACH
static INLINE void prefetch(const void *p) { (void)p; }
