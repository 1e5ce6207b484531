// The Transformer's layers over many rows at once, and the encoder.

// The buffers of one call. Each call has its own, because two threads may run the same model.
typedef struct {
  float *states, *projected, *attended, *inner, *row, *room, *scales;
  uint8_t *bytes;
  size_t stride, projected_stride, inner_stride;
} Scratch;

static int allocate_scratch(Scratch *s, const Model *m, int64_t rows, int64_t longest) {
  const int projected = m->decoder ? 3 * m->width : m->last.columns > 3 * m->width ? m->last.columns : 3 * m->width;
  s->stride = rounded_up(m->width, STRIP);
  // Rows whose distance is a whole number of pages would compete for the same cache lines.
  s->projected_stride = rounded_up(projected, STRIP) + LANES;
  s->inner_stride = rounded_up(m->feed_forward, STRIP) + LANES;
  s->states = allocate(rows * s->stride, sizeof(float));
  s->projected = allocate((rows + KEYS_BEHIND) * s->projected_stride, sizeof(float));
  s->attended = allocate(rows * s->stride, sizeof(float));
  s->inner = allocate(rows * s->inner_stride, sizeof(float));
  s->row = allocate(ROWS_TOGETHER * s->stride, sizeof(float));
  s->room = allocate(m->decoder ? attention_room(m->width, m->heads, longest)
                                : self_attention_room(m->width, m->heads, longest),
                     sizeof(float));
  s->scales = allocate(rows, sizeof(float));
  s->bytes = allocate(rows * (s->inner_stride > s->stride ? s->inner_stride : s->stride), 1);
  return s->states && s->projected && s->attended && s->inner && s->row && s->room && s->scales && s->bytes;
}

static void free_scratch(Scratch *s) {
  void *all_of[] = {s->states, s->projected, s->attended, s->inner, s->row, s->room, s->scales, s->bytes};
  for (size_t i = 0; i < sizeof all_of / sizeof *all_of; i++) free(all_of[i]);
}

static void embed(const Model *m, int64_t token, int position, float *state) {
  const uint16_t *e = m->embedding + size_of(token, m->width);
  const float *p = m->position + size_of(position, m->width);
  const Vector factor = all(m->embedding_scale);
  for (int i = 0; i < m->width; i += LANES) {
    if (m->width - i >= LANES) {
      store(state + i, fma_(load_half(e + i), factor, load(p + i)));
    } else { // the tables end here
      uint16_t halves[LANES] = {0};
      memcpy(halves, e + i, (m->width - i) * sizeof *halves);
      store(state + i, fma_(load_half(halves), factor, load_first(p + i, m->width - i)));
    }
  }
}

// The input of a sub-layer, as bytes.
static void enter(const Model *m, const Norm *norm, Scratch *s, int rows) {
  if (m->pre_norm)
    normalize_to_bytes(s->states, s->stride, norm, m->width, m->epsilon, rows, s->row, s->bytes, s->scales);
  else quantize(s->states, s->stride, rounded_up(m->width, LANES), rows, s->bytes, s->scales);
}

// After a sub-layer, whose output was added to the states.
static void leave(const Model *m, const Norm *norm, Scratch *s, int rows) {
  if (!m->pre_norm) normalize(s->states, s->stride, norm, m->width, m->epsilon, rows);
}

static void attention_output(const Model *m, const Linear *l, const Norm *norm, Scratch *s, int rows) {
  quantize(s->attended, s->stride, rounded_up(m->width, LANES), rows, s->bytes, s->scales);
  multiply_add(l, s->bytes, s->scales, rows, s->states, s->stride);
  leave(m, norm, s, rows);
}

static void feed_forward(const Model *m, const Layer *l, Scratch *s, int rows) {
  enter(m, &l->inner_norm, s, rows);
  multiply(&l->inner, s->bytes, s->scales, rows, s->inner, s->inner_stride);
  activate(s->inner, s->inner_stride, l->outer.depth, m->activation, rows, s->bytes, s->scales);
  multiply_add(&l->outer, s->bytes, s->scales, rows, s->states, s->stride);
  leave(m, &l->inner_norm, s, rows);
}

// Before the last product.
static void finish(const Model *m, Scratch *s, int rows) { enter(m, &m->final_norm, s, rows); }

// Number of sentences that are encoded together: (positions, 3D) of several fit the cache, and the weights are read
// less often.
enum { TOGETHER = 192 };

static void encode_some(const Model *m, Scratch *s, const int64_t *ids, const int64_t *lengths, int64_t sentences,
                        int rows, float *features, int64_t all_rows) {
  const int width = m->width, heads = m->heads;
  for (int64_t b = 0, r = 0; b < sentences; b++)
    for (int i = 0; i < lengths[b]; i++, r++) embed(m, ids[r], i, s->states + r * s->stride);
  if (m->embedding_norm) normalize(s->states, s->stride, &m->embed_norm, width, m->epsilon, rows);
  for (const Layer *l = m->layers; l < m->layers + m->depth; l++) {
    enter(m, &l->self_norm, s, rows);
    multiply(&l->self_projection, s->bytes, s->scales, rows, s->projected, s->projected_stride);
    for (int64_t b = 0, first = 0; b < sentences; first += lengths[b++]) {
      const float *projected = s->projected + size_of(first, s->projected_stride);
      attend_to_each_other(projected, s->projected_stride, (int)lengths[b], width, heads, s->room,
                           s->attended + size_of(first, s->stride), s->stride);
    }
    attention_output(m, &l->self_output, &l->self_norm, s, rows);
    feed_forward(m, l, s, rows);
  }
  finish(m, s, rows);
  multiply(&m->last, s->bytes, s->scales, rows, s->projected, s->projected_stride);
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < 2 * m->cross_layers; i++)
      memcpy(features + (i * all_rows + r) * width, s->projected + r * s->projected_stride + i * width,
             width * sizeof(float));
}

// Ids of all sentences, one after the other -> features (2 * cross_layers, all positions, D).
static const char *encode(const Model *m, const int64_t *ids, const int64_t *lengths, int64_t sentences,
                          float *features) {
  int64_t all_rows = 0, longest = 0;
  for (int64_t b = 0; b < sentences; b++) {
    all_rows += lengths[b];
    if (lengths[b] > longest) longest = lengths[b];
  }
  const int64_t most = all_rows < TOGETHER ? all_rows : longest > TOGETHER ? longest : TOGETHER;
  Scratch s = {0};
  const char *error = allocate_scratch(&s, m, most, longest) ? NULL : "out of memory";
  for (int64_t b = 0, first = 0; !error && b < sentences;) {
    int64_t end = b, rows = 0;
    while (end < sentences && (end == b || rows + lengths[end] <= most)) rows += lengths[end++];
    encode_some(m, &s, ids + first, lengths + b, end - b, (int)rows, features + first * m->width, all_rows);
    first += rows, b = end;
  }
  free_scratch(&s);
  return error;
}

// The first sub-layer of a decoder: self-attention to the earlier positions of each row.
static void read_target(const Model *m, const Layer *l, Scratch *s, const Row *rows, int count, float *keys,
                        float *values) {
  const int width = m->width;
  for (int r = 0; r < count; r++) {
    const float *projected = s->projected + r * s->projected_stride;
    memcpy(keys + size_of(rows[r].place, width), projected + width, width * sizeof *keys);
    memcpy(values + size_of(rows[r].place, width), projected + 2 * width, width * sizeof *values);
    attend(projected, keys, values, width, width, rows[r].history, rows[r].position + 1, m->heads, s->room,
           s->attended + r * s->stride, 0, NULL);
  }
  attention_output(m, &l->self_output, &l->self_norm, s, count);
}

// The same of a recurrent layer (Kim et al. 2019): c = f c_before + (1 - f) W x with f = sigmoid(W_f x + b_f); ReLU(c)
// is added to the states. A row's state is at its place, the one before at the place of its last position.
static void recur(const Model *m, const Layer *l, Scratch *s, const Row *rows, int count, float *cells) {
  const int width = m->width;
  static const float beginning[LANES] = {0};
  for (int r = 0; r < count; r++) {
    const float *candidate = s->projected + r * s->projected_stride, *gate = candidate + width;
    const float *before = rows[r].position ? cells + size_of(rows[r].history[rows[r].position - 1], width) : NULL;
    float *cell = cells + size_of(rows[r].place, width), *state = s->states + r * s->stride;
    for (int i = 0; i < width; i += LANES) {
      const int some = width - i < LANES ? width - i : LANES;
      const Vector new = load_first(candidate + i, some), kept = sigmoid(load_first(gate + i, some));
      const Vector c = fma_(kept, sub(load_first(before ? before + i : beginning, some), new), new);
      float lanes[LANES];
      store(lanes, c);
      memcpy(cell + i, lanes, some * sizeof *lanes); // places lie side by side
      store(state + i, add(load(state + i), larger(c, all(0)))); // c is 0 behind the width
    }
  }
  leave(m, &l->self_norm, s, count);
}

// One step of a decoder for all rows: their states become bytes, ready for the vocabulary. attended: (R,), or NULL.
static void advance(const Model *m, Scratch *s, Row *rows, int count, float *memory, int64_t places,
                    int64_t *attended) {
  const int width = m->width;
  for (int r = 0; r < count; r++) {
    embed(m, rows[r].token, rows[r].position, s->states + r * s->stride);
    rows[r].history[rows[r].position] = rows[r].place;
  }
  if (m->embedding_norm) normalize(s->states, s->stride, &m->embed_norm, width, m->epsilon, count);
  for (int i = 0; i < m->depth; i++) {
    const Layer *l = m->layers + i;
    float *keys = memory + size_of(2 * i, places) * width, *values = keys + size_of(places, width);
    enter(m, &l->self_norm, s, count);
    multiply(&l->self_projection, s->bytes, s->scales, count, s->projected, s->projected_stride);
    if (m->recurrent) recur(m, l, s, rows, count, keys);
    else read_target(m, l, s, rows, count, keys, values);
    enter(m, &l->cross_norm, s, count);
    multiply(&l->cross_query, s->bytes, s->scales, count, s->projected, s->projected_stride);
    for (int r = 0; r < count; r++)
      attend(s->projected + r * s->projected_stride, keys, values, width, width, rows[r].source,
                     rows[r].source_length, m->heads, s->room, s->attended + r * s->stride, m->alignment_head,
                     i == m->alignment_layer ? attended + r : NULL);
    attention_output(m, &l->cross_output, &l->cross_norm, s, count);
    feed_forward(m, l, s, count);
  }
  finish(m, s, count);
}
