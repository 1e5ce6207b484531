// Nearest-neighbour machine translation (Khandelwal et al. 2021, "Nearest Neighbor Machine Translation"): the states
// that the decoder had before each token of a few similar translations say which tokens follow a state like the present
// one. The share of what they say falls with the distance of the nearest (Dai et al. 2023, "Simple and Scalable Nearest
// Neighbor Machine Translation", section 4.3), so that a sentence with nothing alike is translated as without them.

enum { NEAREST = 8 };
static const double MOST = 0.8;   // share of the neighbours in the end, if one of them has the very state
// squared distance, as a part of the state's own square, beyond which they have no say
static const double REACH = 0.3;
static const double WIDTH = 0.08; // of the kernel e^(-distance / width) over them, in the same unit

// The logarithm of a share of probability, rounded so that it is the same on all processors.
static double mixed(double score, double share, double theirs) {
  return floor(logarithm((1 - share) * exp(score) + share * theirs) * 1048576.0 + 0.5) / 1048576.0;
}

static int8_t value_of(uint8_t byte) { return (int8_t)(byte - OFFSET + BYTE_BIAS); }

// What a caller keeps of a row's state: the bytes that go into the last product.
static void read_state(const uint8_t *bytes, int width, int8_t *state) {
  for (int i = 0; i < width; i++) state[i] = value_of(bytes[i]);
}

// The product of a state x with the states y before the tokens, which is x y - y^2 / 2; returns whether there was
// memory. keys: y, in strips. sums: of each, the sum of its numbers and of their squares.
static int gather(const Linear *last, const int8_t *keys, const float *scales, const int32_t *sums,
                  const int32_t *tokens, int count, Neighbours *to) {
  Linear *l = &to->keys;
  *l = (Linear){.inputs = last->inputs, .outputs = count, .depth = last->depth, .columns = rounded_up(count, STRIP),
                .scale = (float *)scales};
  to->tokens = tokens;
  l->weights = allocate((int64_t)l->depth * l->columns, 1);
  l->bias = allocate(l->columns, sizeof *l->bias);
  l->start = allocate(l->columns, sizeof *l->start);
  if (!l->weights || !l->bias || !l->start) return 0;
  const int quads = l->depth / 4;
  for (int i = 0; i < l->columns; i += BLOCK)
    for (int k = 0; k < quads; k++)
      memcpy(weights_of(l, i, k), keys + 4 * (size_of(size_of(i / STRIP, quads) + k, STRIP) + i % STRIP), 4 * BLOCK);
  for (int i = 0; i < count; i++) {
    l->start[i] = (int32_t)((uint32_t)(BYTE_BIAS - OFFSET) * (uint32_t)sums[2 * i]);
    l->bias[i] = -0.5f * (float)sums[2 * i + 1] * scales[i] * scales[i];
  }
  return 1;
}

typedef struct {
  double far; // squared distance to the state, as a part of the state's square
  int32_t token;
} Neighbour;

// The nearest neighbours of a state, the nearest first, the first of equals; returns their number.
static int nearest(const Neighbours *n, const uint8_t *bytes, float scale, float *products, Neighbour *found) {
  const Linear *l = &n->keys;
  multiply(l, bytes, &scale, 1, products, l->columns);
  int64_t square = 0;
  for (int i = 0; i < l->inputs; i++) square += value_of(bytes[i]) * value_of(bytes[i]);
  const double own = (double)square * scale * scale;
  int count = 0;
  for (int i = 0; own > 0 && i < l->outputs; i++) {
    const double far = fmax(0, (own - 2 * (double)products[i]) / own);
    if (count == NEAREST && far >= found[count - 1].far) continue;
    int at = count < NEAREST ? count++ : count - 1;
    for (; at > 0 && found[at - 1].far > far; at--) found[at] = found[at - 1];
    found[at] = (Neighbour){far, n->tokens[i]};
  }
  return count;
}

// Mixes what the neighbours say into the best K of a row; offset: what the logits' logarithm of the sum is.
static void ask_neighbours(const Neighbours *n, const uint8_t *bytes, float scale, float *products, const float *logits,
                           float offset, int top, Candidate *best) {
  Neighbour found[NEAREST];
  const int count = nearest(n, bytes, scale, products, found);
  const double share = count ? MOST * (1 - found[0].far / REACH) : 0;
  if (share <= 0) return;
  double weights[NEAREST], sum = 0;
  for (int i = 0; i < count; i++) sum += weights[i] = exp((found[0].far - found[i].far) / WIDTH);
  const double rest = logarithm(1 - share);
  for (int k = 0; k < top; k++) best[k].score = (float)(best[k].score + rest);
  for (int i = 0; i < count; i++) {
    const int32_t token = found[i].token;
    double theirs = 0;
    int first = 1;
    for (int j = 0; j < count; j++)
      if (found[j].token == token) theirs += weights[j] / sum, first &= j >= i;
    if (!first) continue;
    const Candidate mine = {(float)mixed((double)logits[token] - offset, share, theirs), token};
    int at = 0;
    while (at < top - 1 && best[at].token != token) at++; // its own place, or the last one
    if (best[at].token != token && by_score(&mine, best + at) >= 0) continue;
    for (; at > 0 && by_score(&mine, best + at - 1) < 0; at--) best[at] = best[at - 1];
    best[at] = mine;
  }
}
