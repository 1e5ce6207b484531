// Attention.
//
// Attention of one query to keys and values anywhere in memory, for the decoder: a table holds the place of each
// position, so rows can come, go and move without a copy. Four heads are computed together: their scores fill a quarter
// of a vector.

static const float NEVER = -1e30f;

// Scores of four heads at n positions, (n, 4); the end of the last vector is padding. CHANNELS is the width of heads
// whose queries fit the registers, so that only keys are read repeatedly; 0 is for every other width.
static INLINE void scores_of(const int CHANNELS, const float *const *query, const float *keys, size_t stride,
                             const int32_t *places, int n, int channels, const int *offsets, float *scores) {
  Vector q[4][4];
#pragma GCC unroll 4
  for (int h = 0; h < 4; h++)
#pragma GCC unroll 4
    for (int i = 0; i < CHANNELS / LANES; i++) q[h][i] = load(query[h] + LANES * i);
  for (int t = 0; t < n; t++) {
    const float *key = keys + size_of(places[t], stride);
    Vector s[4];
#pragma GCC unroll 4
    for (int h = 0; h < 4; h++) {
      const float *k = key + offsets[h];
      s[h] = all(0);
#pragma GCC unroll 4
      for (int i = 0; i < CHANNELS / LANES; i++) s[h] = fma_(q[h][i], load(k + LANES * i), s[h]);
      if (CHANNELS) continue;
      int i = 0;
      for (; i + LANES <= channels; i += LANES) s[h] = fma_(load(query[h] + i), load(k + i), s[h]);
      if (i < channels) s[h] = fma_(load_first(query[h] + i, channels - i), load_first(k + i, channels - i), s[h]);
    }
    sums(s[0], s[1], s[2], s[3], scores + 4 * t);
  }
  for (int i = 4 * n; i % LANES; i++) scores[i] = NEVER;
}

// Turns (n, 4) scores into weights; returns the four heads' sums, repeated in every quarter. The padding of the last
// vector adds exp(-87) to a sum of at least 1, which changes nothing.
static INLINE Vector soften(float *scores, int n) {
  Vector most = load(scores), sum = all(0);
  for (int i = LANES; i < 4 * n; i += LANES) most = larger(load(scores + i), most);
  most = fold_larger(most);
  for (int i = 0; i < 4 * n; i += LANES) {
    Vector e = exponential(sub(load(scores + i), most));
    store(scores + i, e);
    sum = add(sum, e);
  }
  return fold_sum(sum);
}

// HEADS heads of EACH vectors. weights: the heads' weights at the first position; there are four floats a position.
static INLINE void mix(const int HEADS, const int EACH, const float *values, size_t stride, const int32_t *places,
                       int n, const float *weights, const float *factors, float *out) {
  Vector c[8];
#pragma GCC unroll 8
  for (int j = 0; j < HEADS * EACH; j++) c[j] = all(0);
  for (int t = 0; t < n; t++) {
    const float *value = values + size_of(places[t], stride);
#pragma GCC unroll 4
    for (int h = 0; h < HEADS; h++) {
      const Vector w = all(weights[4 * t + h]);
#pragma GCC unroll 8
      for (int j = EACH * h; j < EACH * (h + 1); j++) c[j] = fma_(w, load(value + LANES * j), c[j]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < HEADS * EACH; j++) store(out + LANES * j, mul(c[j], all(factors[j / EACH])));
}

// One head of any width.
static void mix_one(const float *values, size_t stride, const int32_t *places, int n, int channels,
                    const float *weights, float factor, float *out) {
  for (int i = 0; i < channels; i += LANES) {
    const int some = channels - i < LANES ? channels - i : LANES;
    Vector c = all(0);
    for (int t = 0; t < n; t++)
      c = fma_(all(weights[4 * t]), load_first(values + size_of(places[t], stride) + i, some), c);
    float lanes[LANES];
    store(lanes, mul(c, all(factor)));
    memcpy(out + i, lanes, some * sizeof *out);
  }
}

// One query (D) -> out (D). stride: floats between two keys, and between two values. room: buffer for the query and for
// (heads / 4, n, 4) scores, in whole vectors. at: if not NULL, receives the position with the largest weight of the
// alignment head.
static void attend(const float *query, const float *keys, const float *values, int width, size_t stride,
                   const int32_t *places, int n, int heads, float *room, float *out, int head, int64_t *at) {
  const int channels = width / heads, groups = (heads + 3) / 4, group = rounded_up(4 * n, LANES);
  float *scaled_query = room, *scores = room + rounded_up(width, LANES), factors[4 * groups];
  const Vector factor = all(1.0f / sqrtf((float)channels));
  for (int i = 0; i < width; i += LANES) store(scaled_query + i, mul(load(query + i), factor));
  for (int g = 0; g < groups; g++) {
    const float *q[4];
    int offsets[4];
    for (int h = 0; h < 4; h++) { // in place of missing heads, the last one
      offsets[h] = (4 * g + h < heads ? 4 * g + h : heads - 1) * channels;
      q[h] = scaled_query + offsets[h];
    }
    float *s = scores + size_of(g, group);
    if (channels == 64) scores_of(64, q, keys, stride, places, n, 64, offsets, s);
    else if (channels == 32) scores_of(32, q, keys, stride, places, n, 32, offsets, s);
    else scores_of(0, q, keys, stride, places, n, channels, offsets, s);
    if (at && head / 4 == g) {
      *at = 0;
      for (int t = 1; t < n; t++)
        if (s[4 * t + head % 4] > s[4 * *at + head % 4]) *at = t;
    }
    float sum[LANES];
    store(sum, soften(s, n));
    for (int h = 0; h < 4; h++) factors[4 * g + h] = 1.0f / sum[h];
  }
#define WEIGHTS(H) (scores + size_of((H) / 4, group) + (H) % 4)
  int h = 0;
  for (; channels == 64 && h + 2 <= heads; h += 2)
    mix(2, 4, values + h * 64, stride, places, n, WEIGHTS(h), factors + h, out + h * 64);
  for (; channels == 32 && h + 4 <= heads; h += 4)
    mix(4, 2, values + h * 32, stride, places, n, WEIGHTS(h), factors + h, out + h * 32);
  for (; h < heads; h++)
    mix_one(values + h * channels, stride, places, n, channels, WEIGHTS(h), factors[h], out + h * channels);
#undef WEIGHTS
}

// Size of the buffer of ``attend``, in floats.
static INLINE size_t attention_room(int width, int heads, int64_t n) {
  return rounded_up(width, LANES) + size_of((heads + 3) / 4, 4 * n + LANES);
}

// ---- Attention of all positions of a sentence to each other, for the encoder. Sixteen queries lie side by side in a
// vector: no sum crosses lanes, and each key and value is read once for all sixteen. 2.5 times as fast at 30 positions,
// 1.3 times at 12.

// (channels, LANES) queries and KEYS keys -> (KEYS, LANES) scores.
static INLINE void scores_of_block(const int KEYS, const float *queries, const float *keys, size_t stride, int channels,
                                   float *scores) {
  Vector s[TILE * TILE];
#pragma GCC unroll 16
  for (int t = 0; t < KEYS; t++) s[t] = all(0);
  for (int c = 0; c < channels; c++) {
    const Vector q = load(queries + LANES * c);
#pragma GCC unroll 16
    for (int t = 0; t < KEYS; t++) s[t] = fma_(q, all(keys[t * stride + c]), s[t]);
  }
#pragma GCC unroll 16
  for (int t = 0; t < KEYS; t++) store(scores + LANES * t, s[t]);
}

// Turns (n, LANES) scores into weights; returns the reciprocals of their sums.
static INLINE Vector soften_all(float *scores, int n) {
  Vector most = load(scores), sum = all(0);
  for (int t = 1; t < n; t++) most = larger(load(scores + LANES * t), most);
  for (int t = 0; t < n; t++) {
    const Vector e = exponential(sub(load(scores + LANES * t), most));
    store(scores + LANES * t, e);
    sum = add(sum, e);
  }
  return quotient(all(1), sum);
}

// EACH vectors of QUERIES outputs. weights and factors: the first query's.
static INLINE void mix_block(const int QUERIES, const int EACH, const float *values, size_t stride, int n,
                             const float *weights, const float *factors, float *out, size_t out_stride) {
  Vector c[TILE][TILE];
#pragma GCC unroll 4
  for (int q = 0; q < QUERIES; q++)
#pragma GCC unroll 4
    for (int j = 0; j < EACH; j++) c[q][j] = all(0);
  for (int t = 0; t < n; t++, values += stride, weights += LANES) {
    Vector v[TILE];
#pragma GCC unroll 4
    for (int j = 0; j < EACH; j++) v[j] = load(values + LANES * j);
#pragma GCC unroll 4
    for (int q = 0; q < QUERIES; q++)
#pragma GCC unroll 4
      for (int j = 0; j < EACH; j++) c[q][j] = fma_(all(weights[q]), v[j], c[q][j]);
  }
#pragma GCC unroll 4
  for (int q = 0; q < QUERIES; q++)
#pragma GCC unroll 4
    for (int j = 0; j < EACH; j++) store(out + q * out_stride + LANES * j, mul(c[q][j], all(factors[q])));
}

static INLINE void mix_blocks(const int EACH, const float *values, size_t stride, int n, int queries,
                              const float *weights, const float *factors, float *out, size_t out_stride) {
  int q = 0;
  for (; q + TILE <= queries; q += TILE)
    mix_block(TILE, EACH, values, stride, n, weights + q, factors + q, out + q * out_stride, out_stride);
  for (; q < queries; q++)
    mix_block(1, EACH, values, stride, n, weights + q, factors + q, out + q * out_stride, out_stride);
}

// n rows of queries, keys and values, D floats each -> n rows of D. Up to KEYS_BEHIND further rows are read, but have
// no effect. room: see self_attention_room.
enum { KEYS_TOGETHER = 4, KEYS_BEHIND = KEYS_TOGETHER - 1 };

static void attend_to_each_other(const float *rows, size_t stride, int n, int width, int heads, float *room, float *out,
                                 size_t out_stride) {
  const int channels = width / heads;
  const Vector factor = all(1.0f / sqrtf((float)channels));
  float *queries = room, *scores = queries + LANES * rounded_up(channels, LANES), factors[LANES], last[LANES * LANES];
  for (int first = 0; first < n; first += LANES)
    for (int h = 0; h < heads; h++) {
      const int some = n - first < LANES ? n - first : LANES;
      const float *query = rows + size_of(first, stride) + h * channels, *keys = rows + width + h * channels;
      const float *values = keys + width;
      for (int c = 0; c < channels; c += LANES) {
        Vector block[LANES];
#pragma GCC unroll 16
        for (int q = 0; q < LANES; q++) block[q] = q < some ? mul(load(query + q * stride + c), factor) : all(0);
        transpose(block);
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) store(queries + LANES * (c + i), block[i]);
      }
      for (int t = 0, together; t < n; t += together) {
        together = n - t < TILE * TILE ? rounded_up(n - t, KEYS_TOGETHER) : TILE * TILE;
        const float *key = keys + size_of(t, stride);
        switch (together) {
#define CASE(KEYS)                                                                                                    \
  case KEYS:                                                                                                          \
    scores_of_block(KEYS <= TILE * TILE ? KEYS : 1, queries, key, stride, channels, scores + LANES * t);              \
    break;
          CASE(4) CASE(8) CASE(12) CASE(16)
#undef CASE
        }
      }
      store(factors, soften_all(scores, n));
      float *o = out + size_of(first, out_stride) + h * channels;
      int c = 0;
      for (; c + TILE * LANES <= channels; c += TILE * LANES)
        mix_blocks(TILE, values + c, stride, n, some, scores, factors, o + c, out_stride);
      for (; c + LANES <= channels; c += LANES)
        mix_blocks(1, values + c, stride, n, some, scores, factors, o + c, out_stride);
      if (c < channels) {
        mix_blocks(1, values + c, stride, n, some, scores, factors, last, LANES);
        for (int q = 0; q < some; q++) memcpy(o + q * out_stride + c, last + q * LANES, (channels - c) * sizeof *o);
      }
    }
}

// Size of the buffer of ``attend_to_each_other``, in floats.
static INLINE size_t self_attention_room(int width, int heads, int64_t n) {
  return LANES * (rounded_up(width / heads, LANES) + n + KEYS_BEHIND);
}
