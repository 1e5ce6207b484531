// Attention of one query to keys and values that lie anywhere: a table says where each position is, so that rows come,
// go and change places without being copied. Four heads at a time: their scores are one quarter of a vector.

static const float NEVER = -1e30f;

// Scores of four heads at n positions, (n, 4); the last vector is filled with what is never looked at. CHANNELS is that
// of heads whose queries fit the registers, so that only keys are read again and again; 0 is any other.
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

// (n, 4) scores become weights; returns the sums of the four heads' in every quarter. What fills up the last vector
// adds exp(-87) to a sum of at least 1: nothing.
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

// HEADS heads of EACH vectors; weights: theirs at the first position, four floats a position.
static INLINE void mix(const int HEADS, const int EACH, const float *values, size_t stride, const int32_t *places, int n,
                       const float *weights, const float *factors, float *out) {
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
static void mix_one(const float *values, size_t stride, const int32_t *places, int n, int channels, const float *weights,
                     float factor, float *out) {
  for (int i = 0; i < channels; i += LANES) {
    const int some = channels - i < LANES ? channels - i : LANES;
    Vector c = all(0);
    for (int t = 0; t < n; t++) c = fma_(all(weights[4 * t]), load_first(values + size_of(places[t], stride) + i, some), c);
    float lanes[LANES];
    store(lanes, mul(c, all(factor)));
    memcpy(out + i, lanes, some * sizeof *out);
  }
}

// One query (D) -> out (D); keys and values are a stride apart. room: for the query and for (heads / 4, n, 4) scores, in whole vectors.
// at: if not NULL, receives the position that the alignment head looks at most.
static void attend(const float *query, const float *keys, const float *values, int width, size_t stride,
                   const int32_t *places, int n, int heads, float *room, float *out, int head, int64_t *at) {
  const int channels = width / heads, groups = (heads + 3) / 4, group = rounded_up(4 * n, LANES);
  float *scaled_query = room, *scores = room + rounded_up(width, LANES), factors[4 * groups];
  const Vector factor = all(1.0f / sqrtf((float)channels));
  for (int i = 0; i < width; i += LANES) store(scaled_query + i, mul(load(query + i), factor));
  for (int g = 0; g < groups; g++) {
    const float *q[4];
    int offsets[4];
    for (int h = 0; h < 4; h++) { // heads that there aren't are the last one again
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

// Floats that ``attend`` needs room for.
static INLINE size_t attention_room(int width, int heads, int64_t n) {
  return rounded_up(width, LANES) + size_of((heads + 3) / 4, 4 * n + LANES);
}
