// Packs the weights for the kernels, once, when the graph is loaded: 8 bits, one scale a column, in blocks. Because the
// export doesn't do this, a bundle holds only float16 weights, shared by all precisions and the same for all
// processors.

// LANES consecutive numbers of a matrix row or a vector.
static INLINE Vector numbers(const Tensor *t, int64_t at, int some) {
  if (!t->halves) return load_first((const float *)t->data + at, some);
  uint16_t halves[LANES] = {0};
  memcpy(halves, (const uint16_t *)t->data + at, some * sizeof *halves);
  return load_half(halves);
}

// Zeroed memory that vectors may read past the end of; NULL if there is none. It begins where a line of the cache does:
// batches are 4 to 7 % faster than where each vector of 64 bytes lies in two lines (Emerald Rapids).
static void *allocate(int64_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow((size_t)count + LANES, size, &bytes) || bytes > SIZE_MAX - 63) return NULL;
  bytes = (bytes + 63) / 64 * 64;
  void *memory = aligned_alloc(64, bytes);
  return memory ? memset(memory, 0, bytes) : NULL;
}

static const char *pack_vector(const Tensor *t, int64_t length, float **out) {
  if (t->rows != 1 || t->columns != length) return "a vector of the weights has another length than the attributes say";
  if (!(*out = allocate(length, sizeof **out))) return "out of memory";
  for (int64_t i = 0; i < length; i += LANES) {
    const int some = length - i < LANES ? (int)(length - i) : LANES;
    store(*out + i, numbers(t, i, some)); // allocate has left space
    for (int j = 0; j < some; j++)
      if (!isfinite((*out)[i + j])) return "a weight is not finite";
  }
  return NULL;
}

static const char *pack_norm(const Tensor *t, int width, Norm *out) {
  const char *error = pack_vector(t, width, (float **)&out->gain);
  return error ? error : pack_vector(t + 1, width, (float **)&out->bias);
}

// A column's largest weight decides its scale. by_row: the matrix is (outputs, inputs), as embeddings are.
static const char *pack_linear(const Tensor *t, int inputs, int outputs, int by_row, int offset, Linear *l) {
  if (t->rows != (by_row ? outputs : inputs) || t->columns != (by_row ? inputs : outputs))
    return "a matrix of the weights has another shape than the attributes say";
  *l = (Linear){.inputs = inputs, .outputs = outputs, .depth = rounded_up(inputs, LANES),
                .columns = rounded_up(outputs, STRIP)};
  l->weights = allocate((int64_t)l->depth * l->columns, 1);
  l->scale = allocate(l->columns, sizeof *l->scale);
  l->start = allocate(l->columns, sizeof *l->start);
  if (!l->weights || !l->scale || !l->start) return "out of memory";
  const char *error = pack_vector(t + 1, outputs, &l->bias);
  if (error) return error;
  float *bias = allocate(l->columns, sizeof *bias);
  if (!bias) return "out of memory";
  memcpy(bias, l->bias, outputs * sizeof *bias);
  free(l->bias);
  l->bias = bias;
  // along a line of memory, and number of lines
  const int count = by_row ? inputs : outputs, lines = by_row ? outputs : inputs;
  float *largest_of = allocate(l->columns, sizeof *largest_of);
  if (!largest_of) return "out of memory";
  for (int line = 0; line < lines; line++)
    for (int i = 0; i < count; i += LANES) {
      Vector v = magnitude(numbers(t, (int64_t)line * count + i, count - i < LANES ? count - i : LANES));
      if (by_row) largest_of[line] = fmaxf(largest_of[line], largest(v));
      else store(largest_of + i, larger(v, load(largest_of + i)));
    }
  for (int j = 0; j < outputs; j++) {
    if (!isfinite(largest_of[j])) { free(largest_of); return "a weight is not finite"; }
    l->scale[j] = fmaxf(largest_of[j], LEAST) / 127.0f;
    largest_of[j] = 1.0f / l->scale[j];
  }
  for (int line = 0; line < lines; line++)
    for (int i = 0; i < count; i += LANES) {
      const int some = count - i < LANES ? count - i : LANES;
      Vector factor = by_row ? all(largest_of[line]) : load(largest_of + i);
      Vector v = whole(mul(numbers(t, (int64_t)line * count + i, some), factor));
      float rounded[LANES];
      store(rounded, smaller(larger(v, all(-127.0f)), all(127.0f)));
      for (int j = 0; j < some; j++) {
        const int row = by_row ? i + j : line, column = by_row ? line : i + j;
        const int8_t weight = (int8_t)rounded[j];
        weights_of(l, column, row / 4)[row % 4] = weight;
        l->start[column] += (BYTE_BIAS - offset) * weight;
      }
    }
  free(largest_of);
  return NULL;
}

// Tensors in the order in which they are used; a linear layer is a matrix and its bias, a norm a gain and a bias.
static const char *pack(Model *m, const Tensor *t, int count) {
  const int wide = m->width, per_layer = m->recurrent ? 16 : m->decoder ? 18 : 12;
  const int expected = 2 + 2 * m->embedding_norm + m->depth * per_layer + 2 * m->pre_norm + 2;
  if (count != expected) return "there are more or fewer weights than the attributes say";
  const char *error = NULL;
#define TRY(CALL)                                                                                                     \
  if ((error = CALL)) return error;
  if (t->rows != m->vocabulary || t->columns != wide || !t->halves)
    return "the embedding is not (vocabulary, width) float16";
  m->embedding = t++->data;
  if (t->rows != m->positions || t->columns != wide || t->halves)
    return "the positions are not (positions, width) float32";
  m->position = t++->data;
  if (!(m->layers = allocate(m->depth, sizeof *m->layers))) return "out of memory";
#define NORM(PLACE) TRY(pack_norm(t, wide, &m->PLACE)) t += 2;
#define LINEAR(PLACE, INPUTS, OUTPUTS, OFF) TRY(pack_linear(t, INPUTS, OUTPUTS, 0, OFF, &m->PLACE)) t += 2;
  if (m->embedding_norm) { NORM(embed_norm) }
  for (int i = 0; i < m->depth; i++) {
    NORM(layers[i].self_norm)
    LINEAR(layers[i].self_projection, wide, (m->recurrent ? 2 : 3) * wide, OFFSET)
    if (!m->recurrent) { LINEAR(layers[i].self_output, wide, wide, OFFSET) }
    if (m->decoder) {
      NORM(layers[i].cross_norm)
      LINEAR(layers[i].cross_query, wide, wide, OFFSET)
      LINEAR(layers[i].cross_output, wide, wide, OFFSET)
    }
    NORM(layers[i].inner_norm)
    LINEAR(layers[i].inner, wide, m->feed_forward, OFFSET)
    LINEAR(layers[i].outer, m->feed_forward, wide, m->activation == RELU ? 0 : OFFSET)
  }
  if (m->pre_norm) { NORM(final_norm) }
  if (m->decoder) {
    TRY(pack_linear(t, wide, m->vocabulary, 1, OFFSET, &m->last))
    for (int j = m->vocabulary; j < m->last.columns; j++) m->last.bias[j] = NEVER; // padding of the last strip
  } else {
    LINEAR(last, wide, 2 * m->cross_layers * wide, OFFSET)
  }
#undef LINEAR
#undef NORM
#undef TRY
  return NULL;
}
