// The best next tokens of each row, and greedy and beam search of many sentences, as app/engine/decoding does them.

// Logarithm in double precision, the same on every processor; the C library's may differ.
static double logarithm(double x) {
  int exponent;
  double y = frexp(x, &exponent);
  if (y < 0.70710678118654752440) y *= 2, exponent--;
  const double z = (y - 1) / (y + 1), q = z * z;
  double sum = 0;
  for (int i = 23; i >= 1; i -= 2) sum = sum * q + 1.0 / i; // 2 atanh(z): |z| < 0.18, so the remainder is below 1e-17
  return 2 * z * sum + exponent * 0.69314718055994530942;
}

typedef struct {
  float score;
  int32_t token;
} Candidate;

static int by_score(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->score != y->score) return (x->score < y->score) - (x->score > y->score);
  return (x->token > y->token) - (x->token < y->token);
}

// The K-th largest of n numbers, whose order changes.
static float largest_but(float *x, int n, int k) {
  for (int i = 0; i < k; i++)
    for (int j = i + 1; j < n; j++)
      if (x[j] > x[i]) {
        const float t = x[i];
        x[i] = x[j], x[j] = t;
      }
  return x[k - 1];
}

enum { SORTED_BEYOND = 1024 }; // candidates: searches want fewer, but the comparison with PyTorch wants all

// The K best of a row's logits as log-probabilities, best first, the smaller id of equals. found: array of K, or
// of the vocabulary's size if all are sorted. offset: what is taken from the logits. Returns whether they are finite.
static int best_of(const float *logits, int vocabulary, int top, Candidate *found, float *offset) {
  const int n = rounded_up(vocabulary, STRIP);
  Vector most[4];
  for (int j = 0; j < 4; j++) most[j] = all(NEVER);
  for (int i = 0; i < n; i += 4 * LANES)
    for (int j = 0; j < 4; j++) most[j] = larger(load(logits + i + LANES * j), most[j]);
  const Vector folded = larger(larger(most[0], most[1]), larger(most[2], most[3]));
  const float highest = largest(folded);
  Vector sum[4] = {all(0), all(0), all(0), all(0)};
  for (int i = 0; i < n; i += 4 * LANES)
    for (int j = 0; j < 4; j++) sum[j] = add(sum[j], exponential(sub(load(logits + i + LANES * j), all(highest))));
  *offset = highest + (float)logarithm(sum_of(add(sum[0], sum[1]), add(sum[2], sum[3])));
  if (!isfinite(*offset)) return 0;
  int count = 0;
  if (top > SORTED_BEYOND) {
    for (int i = 0; i < vocabulary; i++) found[count++] = (Candidate){logits[i], i};
    qsort(found, count, sizeof *found, by_score);
  } else {
    // The K-th largest of the lanes' maxima is a lower bound of the K-th largest number, and few numbers reach it.
    float lanes[4 * LANES], low = NEVER;
    for (int j = 0; j < 4; j++) store(lanes + LANES * j, top <= LANES ? folded : most[j]);
    if (top <= 4 * LANES) low = top == 1 ? highest : largest_but(lanes, top <= LANES ? LANES : 4 * LANES, top);
    for (int i = 0; i < n; i += 4 * LANES) {
      uint64_t large = 0;
      for (int j = 0; j < 4; j++) large |= (uint64_t)at_least(load(logits + i + LANES * j), all(low)) << LANES * j;
      for (; large; large &= large - 1) {
        const int token = i + __builtin_ctzll(large);
        const float x = logits[token];
        if (token >= vocabulary || (count == top && x <= low)) continue;
        int at = count < top ? count++ : top - 1;
        for (; at > 0 && found[at - 1].score < x; at--) found[at] = found[at - 1];
        found[at] = (Candidate){x, token};
        if (count == top) low = found[count - 1].score;
      }
    }
  }
  for (int i = 0; i < top && i < count; i++) found[i].score -= *offset;
  return count >= top;
}

#include "neighbours.c"

typedef struct {
  Scratch scratch;
  float *logits, *products;
  Candidate *best;    // (R, K)
  Candidate *sorting; // of one row
} Step;

// Number of rows whose logits are computed together: those of more don't fit the second-level cache.
#ifdef TILES
enum { LOGIT_ROWS = TILE_ROWS };
#else
enum { LOGIT_ROWS = 18 };
#endif

// One step of all rows; returns whether all scores are finite.
static int step(const Model *m, Step *s, Row *rows, int count, int top, float *memory, int64_t places,
                int64_t *attended) {
  advance(m, &s->scratch, rows, count, memory, places, attended);
  for (int first = 0, some; first < count; first += some) {
    const Choices *choices = rows[first].choices;
    some = 1;
    while (!choices && some < LOGIT_ROWS && first + some < count && !rows[first + some].choices) some++;
    const Linear *last = choices ? &choices->last : &m->last;
    const uint8_t *bytes = s->scratch.bytes + size_of(first, last->depth);
    multiply(last, bytes, s->scratch.scales + first, some, s->logits, last->columns);
    for (int r = 0; r < some; r++) {
      const int own = last->outputs < top ? last->outputs : top;
      const float *logits = s->logits + size_of(r, last->columns);
      const Neighbours *neighbours = rows[first + r].neighbours;
      float offset;
      if (!best_of(logits, last->outputs, own, s->sorting, &offset)) return 0;
      if (neighbours)
        ask_neighbours(neighbours, bytes + size_of(r, last->depth), s->scratch.scales[first + r], s->products, logits,
                       offset, own, s->sorting);
      for (int k = 0; choices && k < own; k++) s->sorting[k].token = choices->tokens[s->sorting[k].token];
      // other sentences want more; this one doesn't
      for (int k = own; k < top; k++) s->sorting[k] = s->sorting[own - 1];
      memcpy(s->best + size_of(first + r, top), s->sorting, top * sizeof *s->best);
    }
  }
  return 1;
}

// Copies the columns of some pieces; returns whether there was memory.
static int choose(const Linear *from, const int32_t *tokens, int count, Choices *to) {
  Linear *l = &to->last;
  *l = (Linear){.inputs = from->inputs, .outputs = count, .depth = from->depth, .columns = rounded_up(count, STRIP)};
  to->tokens = tokens;
  l->weights = allocate((int64_t)l->depth * l->columns, 1);
  l->scale = allocate(l->columns, sizeof *l->scale);
  l->bias = allocate(l->columns, sizeof *l->bias);
  l->start = allocate(l->columns, sizeof *l->start);
  if (!l->weights || !l->scale || !l->bias || !l->start) return 0;
  for (int i = 0; i < l->columns; i++) {
    if (i >= count) { // padding of the last strip
      l->bias[i] = NEVER;
      continue;
    }
    const int token = tokens[i];
    for (int k = 0; k < l->depth / 4; k++) memcpy(weights_of(l, i, k), weights_of(from, token, k), 4);
    l->scale[i] = from->scale[token], l->bias[i] = from->bias[token], l->start[i] = from->start[token];
  }
  return 1;
}

typedef struct {
  double total;
  int row;
  int32_t token;
} Extension;

// The lexicon's share at the beginning of a translation, and within it; its logarithm, and that of the rest. The
// logarithms are those of lexicon_search.py, to the last bit.
typedef struct {
  double share, log_share, log_rest;
} Share;
static const Share SHARES[2] = {{0.2, -1.6094379124341003, -0.2231435513142097},
                                {0.9, -0.10536051565782628, -2.302585092994046}};
static const Share SHARES_OF_NAMES[2] = {{0.1, -2.3025850929940455, -0.10536051565782628},
                                         {0.6, -0.5108256237659907, -0.916290731874155}};

// The log-probability of an offered token that is a candidate, as lexicon_search.interpolated.
static double interpolated(double score, double share) {
  return floor(logarithm((1 - share) * exp(score) + share) * 1048576.0 + 0.5) / 1048576.0;
}

// The node whose children the lexicon offers to a row, or 0, as WordTrees.offered; within: in the middle of a
// translation.
static int32_t offered(const Search *s, const Row *row, int64_t looked_at, int *within) {
  *within = row->node && !(s->nodes[row->node].flags & ENDS);
  if (*within) return row->node;
  const int32_t root = looked_at >= 0 && looked_at < s->roots_length ? row->roots[looked_at] : 0;
  return row->used >> s->nodes[root].token & 1 ? 0 : root;
}

// The child of a node with this token, or 0.
static int32_t child_of(const Search *s, int32_t node, int32_t token) {
  int32_t child = s->nodes[node].child;
  while (child && s->nodes[child].token != token) child = s->nodes[child].sibling;
  return child;
}

// Notes one more token of a row, as WordTrees.after.
static void take(const Search *s, Row *row, int32_t token, int64_t looked_at) {
  int32_t node = row->node ? child_of(s, row->node, token) : 0;
  if (!node) {
    int within;
    const int32_t parent = offered(s, row, looked_at, &within);
    if (parent && !within && (node = child_of(s, parent, token))) row->used |= (uint64_t)1 << s->nodes[parent].token;
  }
  row->node = node;
}

// What is delivered as the source position of a token, as word_trees.with_best: where the lexicon offers a beginning,
// it carries the token that the model would write.
static int64_t with_best(const Search *s, const Row *row, int64_t looked_at, int32_t best) {
  int within;
  const int32_t node = offered(s, row, looked_at, &within);
  return node && !within ? looked_at + ((1 + (int64_t)best) << 32) : looked_at;
}

// Puts an extension among the best n, of which there may be `wanted`. Equals stay in the order in which they come.
static int put(Extension *e, int n, int wanted, Extension x) {
  if (n == wanted && x.total <= e[n - 1].total) return n;
  int at = n < wanted ? n++ : n - 1;
  for (; at > 0 && e[at - 1].total < x.total; at--) e[at] = e[at - 1];
  e[at] = x;
  return n;
}

// The extensions of a sentence's hypotheses to keep, best first: at most as many as hypotheses are wanted, and none
// that is more than the threshold behind the best. Equals stay in the order of rows and candidates.
static int extend(const Search *s, const Row *rows, int count, const Candidate *best, int top, const int64_t *attended,
                  int wanted, double threshold, Extension *e) {
  int n = 0;
  for (int r = 0; r < count; r++) {
    int within;
    const int32_t node = offered(s, rows + r, attended[r], &within);
    const Share share = (s->nodes[node].flags & OF_NAME ? SHARES_OF_NAMES : SHARES)[within];
    const double rest = node ? share.log_rest : 0;
    for (int k = 0; k < wanted && k < top; k++) {
      const int32_t token = best[r * top + k].token;
      const double alone = best[r * top + k].score;
      const double score = node && child_of(s, node, token) ? interpolated(alone, share.share) : alone + rest;
      n = put(e, n, wanted, (Extension){rows[r].total + score, r, token});
    }
    for (int32_t child = s->nodes[node].child; child; child = s->nodes[child].sibling) {
      int known = 0;
      for (int k = 0; k < wanted && k < top; k++) known |= best[r * top + k].token == s->nodes[child].token;
      if (!known) n = put(e, n, wanted, (Extension){rows[r].total + share.log_share, r, s->nodes[child].token});
    }
  }
  int kept = 0;
  while (kept < n && e[kept].total >= e[0].total - threshold) kept++;
  return kept;
}

// Buffers of a search; a step has its own.
typedef struct {
  Step step;
  Row *rows, *next;
  int32_t *histories, *next_histories;
  int64_t *attended;
  Sentence *sentences;
  Extension *extensions;
  Choices *choices; // of each sentence
  Neighbours *neighbours;
} Buffers;

// Makes one step of the search; returns the hypotheses that go on, or -1 if a score is not finite.
static int search_step(const Model *m, Search *s, Buffers *b, int count, int64_t made) {
  int top = 1;
  for (int64_t i = 0; i < s->sentence_count; i++)
    if (b->sentences[i].rows && b->sentences[i].beams > top) top = (int)b->sentences[i].beams;
  for (int r = 0; r < count; r++) b->rows[r].place = s->fresh[size_of(b->rows[r].slot, s->steps) + made];
  if (!step(m, &b->step, b->rows, count, top, s->memory, s->places, b->attended)) return -1;
  int live = 0;
  for (int64_t i = 0, row = 0, slot = 0; i < s->sentence_count; slot += s->sentences[i++].beams) {
    Sentence *sentence = b->sentences + i;
    const int64_t first = made * s->wanted + slot;
    if (!sentence->rows) continue;
    const int found = extend(s, b->rows + row, (int)sentence->rows, b->step.best + size_of(row, top), top,
                             b->attended + row, (int)sentence->beams, s->thresholds[i], b->extensions);
    int alive = 0, ended = 0;
    for (int j = 0; j < found; j++) {
      const Extension *e = b->extensions + j;
      const Row *parent = b->rows + row + e->row;
      s->scores[first + j] = e->total, s->tokens[first + j] = e->token;
      s->parents[first + j] = parent->slot - slot;
      s->attended[first + j] = with_best(s, parent, b->attended[row + e->row],
                                         b->step.best[size_of(row + e->row, top)].token);
      if (e->token == m->eos) {
        ended++;
        continue;
      }
      Row *child = b->next + live;
      *child = *parent;
      take(s, child, e->token, b->attended[row + e->row]);
      child->token = e->token, child->position++, child->total = e->total, child->slot = (int)slot + j;
      child->history = b->next_histories + size_of(child->slot, s->capacity);
      memcpy(child->history, parent->history, (size_t)child->position * sizeof *child->history);
      live++, alive++;
    }
    row += sentence->rows;
    sentence->rows = alive, sentence->beams -= ended;
  }
  Row *rows = b->rows;
  b->rows = b->next, b->next = rows;
  int32_t *histories = b->histories;
  b->histories = b->next_histories, b->next_histories = histories;
  return live;
}

static const char *run(const Model *m, Search *s, Buffers *b) {
  const char *not_finite = "a score is not finite";
  int64_t slots = s->top ? s->row_count : s->wanted, slot = 0, r = 0;
  for (int64_t i = 0; i < s->sentence_count; slot += s->top ? s->sentences[i].rows : s->sentences[i].beams, i++)
    for (int64_t j = 0; j < s->sentences[i].rows; j++, r++) {
      b->rows[r] = s->rows[r], b->rows[r].slot = (int)(slot + j);
      b->rows[r].choices = b->choices[i].tokens ? b->choices + i : NULL;
      b->rows[r].neighbours = b->neighbours[i].tokens ? b->neighbours + i : NULL;
      b->rows[r].history = b->histories + size_of(slot + j, s->capacity);
      memcpy(b->rows[r].history, s->rows[r].history, (size_t)s->rows[r].position * sizeof(int32_t));
    }
  if (s->top) {
    for (r = 0; r < s->row_count; r++) b->rows[r].place = s->fresh[r * s->steps];
    if (!step(m, &b->step, b->rows, (int)s->row_count, (int)s->top, s->memory, s->places, b->attended))
      return not_finite;
    for (r = 0; r < s->row_count; r++) {
      s->parents[r] = r, s->attended[r] = b->attended[r];
      if (s->states) {
        read_state(b->step.scratch.bytes + size_of(r, m->last.depth), m->width, s->states + size_of(r, m->width));
        s->state_scales[r] = b->step.scratch.scales[r];
      }
      for (int64_t k = 0; k < s->top; k++) {
        s->scores[r * s->top + k] = b->step.best[r * s->top + k].score;
        s->tokens[r * s->top + k] = b->step.best[r * s->top + k].token;
      }
    }
    s->steps_made = 1;
  } else {
    for (int live = (int)s->row_count; live && s->steps_made < s->steps; s->steps_made++)
      if ((live = search_step(m, s, b, live, s->steps_made)) < 0) return not_finite;
  }
  memcpy(s->histories, b->histories, size_of(slots, s->capacity) * sizeof *s->histories);
  return NULL;
}

// Prepares the choices of all sentences; returns whether there was memory.
static int choose_all(const Model *m, const Search *s, Choices *choices) {
  for (int64_t i = 0; s->choices && i < s->sentence_count; i++) {
    const int32_t *tokens = s->choices + size_of(i, s->choices_length);
    int count = 0;
    while (count < s->choices_length && tokens[count] >= 0) count++;
    if (count && !choose(&m->last, tokens, count, choices + i)) return 0;
  }
  return 1;
}

// Prepares the neighbours of all sentences; returns whether there was memory.
static int gather_all(const Model *m, const Search *s, Neighbours *neighbours) {
  int64_t first = 0;
  for (int64_t i = 0; s->keys && i < s->sentence_count; first += rounded_up((int)s->key_counts[i++], STRIP))
    if (s->key_counts[i] &&
        !gather(&m->last, s->keys + size_of(first, m->last.depth), s->key_scales + first, s->key_sums + 2 * first,
                                    s->key_tokens + first, (int)s->key_counts[i], neighbours + i))
      return 0;
  return 1;
}

static void free_linear(const Linear *l) { free(l->weights), free(l->scale), free(l->bias), free(l->start); }

static const char *search(const Model *m, Search *s) {
  const int64_t most = s->row_count > s->wanted ? s->row_count : s->wanted;
  int64_t beams = 1, longest = s->capacity, neighbours = 0;
  for (int64_t i = 0; i < s->sentence_count; i++) {
    if (s->keys && s->key_counts[i] > neighbours) neighbours = s->key_counts[i];
    if (s->sentences[i].beams > beams) beams = s->sentences[i].beams;
    if (s->sentences[i].source_length > longest) longest = s->sentences[i].source_length;
  }
  const int64_t top = s->top ? s->top : beams;
  Buffers b = {
      .step = {.logits = allocate(size_of(most < LOGIT_ROWS ? most : LOGIT_ROWS, m->last.columns), sizeof(float)),
               .products = allocate(rounded_up((int)neighbours, STRIP), sizeof(float)),
               .best = allocate(most * top, sizeof(Candidate)),
               .sorting = allocate(top > SORTED_BEYOND ? m->vocabulary : top, sizeof(Candidate))},
      .rows = allocate(most, sizeof(Row)),
      .next = allocate(most, sizeof(Row)),
      .histories = allocate(most * s->capacity, sizeof(int32_t)),
      .next_histories = allocate(most * s->capacity, sizeof(int32_t)),
      .attended = allocate(most, sizeof(int64_t)),
      .sentences = allocate(s->sentence_count, sizeof(Sentence)),
      .extensions = allocate(beams, sizeof(Extension)),
      .choices = allocate(s->sentence_count, sizeof(Choices)),
      .neighbours = allocate(s->sentence_count, sizeof(Neighbours)),
  };
  const char *error = "out of memory";
  if (allocate_scratch(&b.step.scratch, m, most, longest) && b.step.logits && b.step.products && b.step.best &&
      b.step.sorting && b.rows &&
      b.next && b.histories && b.next_histories && b.attended && b.sentences && b.extensions && b.choices &&
      b.neighbours && choose_all(m, s, b.choices) && gather_all(m, s, b.neighbours)) {
    for (int64_t i = 0; i < most; i++) b.attended[i] = -1; // stays -1 without an alignment head
    memcpy(b.sentences, s->sentences, (size_t)s->sentence_count * sizeof *b.sentences);
    error = run(m, s, &b);
  }
  free_scratch(&b.step.scratch);
  for (int64_t i = 0; b.choices && i < s->sentence_count; i++) free_linear(&b.choices[i].last);
  for (int64_t i = 0; b.neighbours && i < s->sentence_count; i++)
    free(b.neighbours[i].keys.weights), free(b.neighbours[i].keys.bias), free(b.neighbours[i].keys.start);
  void *all_of[] = {b.step.logits,    b.step.best, b.step.sorting, b.rows,       b.next,    b.histories,
                    b.next_histories, b.attended,  b.sentences,    b.extensions, b.choices, b.neighbours,
                    b.step.products};
  for (size_t i = 0; i < sizeof all_of / sizeof *all_of; i++) free(all_of[i]);
  return error;
}
