// The operators of domain "dragoman", as ONNX Runtime calls them: every shape and every index is checked here, and not
// again in the kernels.
//
// Encode: ids (T,) int64 of all sentences, concatenated; lengths (B,) int64; weights
//   -> features (2L, T, D) float32: keys and values of every decoder layer.
// Decode: memory (2L, C, D) float32; rows (R, 2) int64: token and position; totals (R,) float64;
//   histories (R, P) int32: the places in the memory of each row's earlier positions; sentences (B, 3) int64: live
//   rows, hypotheses wanted, source positions; sources (B, S) int32: their places; fresh (W, N) int32: places for N
//   steps of the W hypotheses wanted of all sentences; thresholds (B,) float64; top () int64; nodes (N, 4) int32,
//   roots (B, W) int32 and progress (R, 2) int64, used words and node: of the lexicon, see model.h; choices (B, C)
//   int32 if the attribute says so: the pieces that a sentence may choose from, then -1, all of them -1 for the whole
//   vocabulary; weights
//   -> scores, tokens, parents, attended, histories, memory, see search in model.h. Input and output memory may be
//   the same.
//   If the attribute neighbours says so, inputs come before the weights: keys (N / 64, D / 4, 256) int8, in strips of
//   64 states, D in whole vectors; key_scales (N,) float32, key_sums (N, 2) and key_tokens (N,) int32;
//   key_counts (B,) int64: how many are each sentence's, which begins with a new strip; or (1,), a 0, if no sentence
//   has any. And outputs at the end: of a single step, states (R, D) int8 and state_scales (R,) float32; of a search,
//   none (0, D).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "operators.h"

OrtStatus *get_input(OrtKernelContext *context, size_t index, Input *input) {
  const OrtValue *value;
  OrtShape *shape;
  TRY(api->KernelContext_GetInput(context, index, &value));
  CHECK(value, "an input is missing");
  TRY(api->GetTensorMutableData((OrtValue *)value, &input->data));
  TRY(api->GetTensorTypeAndShape(value, &shape));
  OrtStatus *status = api->GetTensorElementType(shape, &input->type);
  if (!status) status = api->GetDimensionsCount(shape, &input->axes);
  if (!status && input->axes > 3) status = api->CreateStatus(ORT_INVALID_ARGUMENT, "an input has more than three axes");
  if (!status) status = api->GetDimensions(shape, input->dims, input->axes);
  api->ReleaseTensorTypeAndShapeInfo(shape);
  return status;
}

static OrtStatus *get_output(OrtKernelContext *context, size_t index, size_t axes, const int64_t *dims, void *data) {
  OrtValue *value;
  TRY(api->KernelContext_GetOutput(context, index, dims, axes, &value));
  return api->GetTensorMutableData(value, data);
}

OrtStatus *run_encode(void *kernel, OrtKernelContext *context) {
  Kernel *k = kernel;
  const Model *m = &k->model;
  TRY(pack_once(k, context, ENCODE_INPUTS));
  Input ids = {0}, lengths = {0};
  TRY(get_input(context, 0, &ids));
  TRY(get_input(context, 1, &lengths));
  CHECK(ids.axes == 1 && lengths.axes == 1, "ids and lengths must have one axis");
  const int64_t *id = ids.data, *length = lengths.data;
  const int64_t positions = ids.dims[0], sentences = lengths.dims[0];
  CHECK(positions > 0 && positions <= MAX_SIZE, "there are no positions, or too many");
  int64_t sum = 0;
  for (int64_t i = 0; i < sentences; i++) {
    CHECK(length[i] >= 1 && length[i] <= m->positions, "a source is empty or longer than the model's positions");
    sum += length[i];
    CHECK(sum <= positions, "the lengths do not add up to the number of ids");
  }
  CHECK(sum == positions, "the lengths do not add up to the number of ids");
  for (int64_t i = 0; i < positions; i++)
    CHECK(id[i] >= 0 && id[i] < m->vocabulary, "a source id is not in the vocabulary");
  float *features;
  TRY(get_output(context, 0, 3, (int64_t[]){2 * m->cross_layers, positions, m->width}, &features));
  const char *error = k->kernels->encode(m, id, length, sentences, features);
  return error ? api->CreateStatus(ORT_FAIL, error) : NULL;
}

// ---- Decode

enum { MEMORY, ROWS, TOTALS, HISTORIES, SENTENCES, SOURCES, FRESH, THRESHOLDS, TOP, NODES, ROOTS, PROGRESS };

static int within(const int32_t *places, int64_t count, int64_t most) {
  for (int64_t i = 0; i < count; i++)
    if (places[i] < 0 || places[i] >= most) return 0;
  return 1;
}

static OrtStatus *check_shapes(const Model *m, const Input *g) {
  static const size_t axes[DECODE_INPUTS] = {3, 2, 1, 2, 2, 2, 2, 1, 0, 2, 2, 2};
  for (int i = 0; i < DECODE_INPUTS; i++) {
    CHECK(g[i].axes == axes[i], "an input has another number of axes than Decode takes");
    for (size_t j = 0; j < g[i].axes; j++)
      CHECK(g[i].dims[j] > 0 && g[i].dims[j] <= 1 << 28, "an input is empty or too large");
  }
  const int64_t rows = g[ROWS].dims[0], sentences = g[SENTENCES].dims[0];
  CHECK(g[MEMORY].dims[0] == 2 * m->depth && g[MEMORY].dims[2] == m->width,
        "the memory has another shape than the model's");
  CHECK(rows <= MAX_SIZE && g[ROWS].dims[1] == 2 && g[TOTALS].dims[0] == rows && g[HISTORIES].dims[0] == rows,
        "rows, totals and histories are not alike");
  CHECK(g[SENTENCES].dims[1] == 3 && g[SOURCES].dims[0] == sentences && g[THRESHOLDS].dims[0] == sentences,
        "sentences, sources and thresholds are not alike");
  CHECK(g[NODES].dims[1] == 4 && g[ROOTS].dims[0] == sentences && g[PROGRESS].dims[0] == rows &&
        g[PROGRESS].dims[1] == 2, "nodes, roots and progress are not alike");
  CHECK(g[FRESH].dims[0] <= MAX_SIZE && g[FRESH].dims[1] <= MAX_SIZE && g[HISTORIES].dims[1] <= MAX_SIZE,
        "an input is too large");
  return NULL;
}

// Every node comes before its sibling and its child, so that following them ends. Node 0, which means no node, has
// none.
static OrtStatus *check_lexicon(const Model *m, const Input *g) {
  const Node *nodes = g[NODES].data;
  const int64_t count = g[NODES].dims[0];
  CHECK(!nodes->token && !nodes->sibling && !nodes->child && !nodes->flags,
        "the first node, which means no node, is one");
  for (int64_t i = 1; i < count; i++) {
    CHECK(nodes[i].token >= 0 && nodes[i].token < m->vocabulary, "a token of the lexicon is not in the vocabulary");
    CHECK((!nodes[i].sibling || nodes[i].sibling > i) && nodes[i].sibling < count, "a sibling is not a later node");
    CHECK((!nodes[i].child || nodes[i].child > i) && nodes[i].child < count, "a child is not a later node");
  }
  const int32_t *roots = g[ROOTS].data;
  CHECK(within(roots, g[ROOTS].dims[0] * g[ROOTS].dims[1], count), "a root is not a node");
  for (int64_t i = 0; i < g[ROOTS].dims[0] * g[ROOTS].dims[1]; i++)
    CHECK(!roots[i] || nodes[roots[i]].token < 64, "a sentence has more than 64 words of the lexicon");
  return NULL;
}

// Fills in the rows of all sentences.
static OrtStatus *check_rows(const Model *m, const Input *g, Search *s) {
  const int64_t *rows = g[ROWS].data, length = g[SOURCES].dims[1];
  const double *totals = g[TOTALS].data;
  const int64_t *progress = g[PROGRESS].data;
  int64_t r = 0, wanted = 0;
  for (int64_t i = 0; i < s->sentence_count; i++) {
    const Sentence sentence = s->sentences[i];
    const int32_t *source = (const int32_t *)g[SOURCES].data + i * length;
    CHECK(sentence.rows >= 1 && sentence.beams >= sentence.rows && sentence.beams <= LANES,
          "a sentence has no rows, too many, or wants too many hypotheses");
    CHECK(sentence.source_length >= 1 && sentence.source_length <= length,
          "a source is empty or longer than its places");
    CHECK(within(source, sentence.source_length, s->places), "a place is not in the memory");
    CHECK(r + sentence.rows <= s->row_count, "the sentences have more rows than there are");
    for (int64_t end = r + sentence.rows; r < end; r++) {
      const int64_t token = rows[2 * r], position = rows[2 * r + 1];
      int32_t *history = (int32_t *)g[HISTORIES].data + r * s->capacity;
      CHECK(token >= 0 && token < m->vocabulary, "a token is not in the vocabulary");
      CHECK(position >= 0 && position <= m->positions - s->steps && position <= s->capacity - s->steps,
            "a row has no room for so many steps");
      CHECK(position == rows[2 * (end - sentence.rows) + 1], "the rows of a sentence are at different positions");
      CHECK(within(history, position, s->places), "a place is not in the memory");
      CHECK(!isnan(totals[r]), "a total is not a number");
      CHECK(progress[2 * r + 1] >= 0 && progress[2 * r + 1] < g[NODES].dims[0], "a row is at no node of the lexicon");
      s->rows[r] = (Row){.token = token, .position = (int)position, .history = history, .source = source,
                         .source_length = (int)sentence.source_length, .total = totals[r],
                         .roots = (const int32_t *)g[ROOTS].data + i * s->roots_length,
                         .used = (uint64_t)progress[2 * r], .node = (int32_t)progress[2 * r + 1]};
    }
    wanted += sentence.beams;
  }
  CHECK(r == s->row_count, "the sentences have fewer rows than there are");
  CHECK(s->top ? s->wanted >= s->row_count && s->steps == 1 : wanted == s->wanted,
        "the number of fresh places is wrong");
  CHECK(within(g[FRESH].data, s->wanted * s->steps, s->places), "a place is not in the memory");
  return NULL;
}

// A search may be limited to some pieces, a single step can't.
static OrtStatus *check_choices(const Model *m, OrtKernelContext *context, Search *s) {
  if (!m->choices) return NULL;
  Input given = {0};
  TRY(get_input(context, DECODE_INPUTS, &given));
  CHECK(given.type == INT32 && given.axes == 2 && given.dims[0] == s->sentence_count,
        "choices are not of the sentences");
  CHECK(given.dims[1] > 0 && given.dims[1] <= m->vocabulary, "there are no choices, or more than pieces");
  s->choices = given.data, s->choices_length = given.dims[1];
  for (int64_t i = 0; i < s->sentence_count * s->choices_length; i++)
    CHECK(s->choices[i] >= -1 && s->choices[i] < m->vocabulary, "a choice is not in the vocabulary");
  if (s->top) s->choices = NULL;
  return NULL;
}

static OrtStatus *check_neighbours(const Model *m, OrtKernelContext *context, Search *s) {
  if (!m->neighbours) return NULL;
  Input g[NEIGHBOUR_INPUTS] = {0};
  for (int i = 0; i < NEIGHBOUR_INPUTS; i++) TRY(get_input(context, DECODE_INPUTS + m->choices + i, g + i));
  CHECK(g[0].type == INT8 && g[1].type == FLOAT && g[2].type == INT32 && g[3].type == INT32 && g[4].type == INT64,
        "a neighbours' input has another type");
  CHECK(g[0].axes == 3 && g[1].axes == 1 && g[2].axes == 2 && g[3].axes == 1 && g[4].axes == 1,
        "a neighbours' input has another number of axes");
  CHECK(g[0].dims[0] <= MAX_SIZE / STRIP && g[0].dims[1] == (m->width + LANES - 1) / LANES * LANES / 4 &&
        g[0].dims[2] == 4 * STRIP, "the keys have another shape than the model's states in strips");
  const int64_t count = g[0].dims[0] * STRIP;
  CHECK(g[1].dims[0] == count && g[2].dims[0] == count && g[2].dims[1] == 2 && g[3].dims[0] == count &&
            (g[4].dims[0] == s->sentence_count || g[4].dims[0] == 1),
        "keys, scales, sums and tokens are not alike");
  const int64_t *counts = g[4].data;
  if (g[4].dims[0] == 1 && !counts[0]) return NULL;
  CHECK(g[4].dims[0] == s->sentence_count, "key_counts are not of the sentences");
  int64_t strips = 0;
  for (int64_t i = 0; i < s->sentence_count; i++) {
    CHECK(counts[i] >= 0 && counts[i] <= count - strips * STRIP, "the sentences have more neighbours than there are");
    CHECK(!counts[i] || !s->choices || s->choices[i * s->choices_length] < 0,
          "a sentence has both choices and neighbours");
    strips += (counts[i] + STRIP - 1) / STRIP;
  }
  const float *scales = g[1].data;
  const int32_t *tokens = g[3].data;
  for (int64_t i = 0; i < strips * STRIP; i++) {
    CHECK(isfinite(scales[i]) && scales[i] > 0, "the scale of a key is not a positive number");
    CHECK(tokens[i] >= 0 && tokens[i] < m->vocabulary, "a neighbour's token is not in the vocabulary");
  }
  if (strips) {
    s->keys = g[0].data, s->key_scales = scales, s->key_sums = g[2].data;
    s->key_tokens = tokens, s->key_counts = counts;
  }
  return NULL;
}

static OrtStatus *deliver(OrtKernelContext *context, const Search *s, int64_t top) {
  const int64_t across = s->top ? s->row_count : s->wanted, dims[3] = {s->steps_made, across, top};
  const struct {
    size_t axes, size;
    const void *from;
  } outputs[] = {{3, 8, s->scores}, {3, 8, s->tokens}, {2, 8, s->parents}, {2, 8, s->attended}};
  for (size_t i = 0; i < 4; i++) {
    char *to;
    TRY(get_output(context, i, outputs[i].axes, dims, &to));
    memcpy(to, outputs[i].from, (size_t)(s->steps_made * across * (outputs[i].axes == 3 ? top : 1)) * outputs[i].size);
  }
  return NULL;
}

static OrtStatus *search_in(Kernel *k, OrtKernelContext *context, const Input *g, Search *s, int64_t top) {
  const int64_t across = s->top ? s->row_count : s->wanted;
  TRY(check_lexicon(&k->model, g));
  TRY(check_rows(&k->model, g, s));
  TRY(check_choices(&k->model, context, s));
  TRY(check_neighbours(&k->model, context, s));
  TRY(get_output(context, 4, 2, (int64_t[]){across, s->capacity}, &s->histories));
  TRY(get_output(context, 5, 3, g[MEMORY].dims, &s->memory));
  if (k->model.neighbours) {
    const int64_t rows = s->top ? s->row_count : 0;
    TRY(get_output(context, DECODE_OUTPUTS, 2, (int64_t[]){rows, k->model.width}, &s->states));
    TRY(get_output(context, DECODE_OUTPUTS + 1, 1, &rows, &s->state_scales));
    if (!rows) s->states = NULL;
  }
  if (s->memory != g[MEMORY].data)
    memcpy(s->memory, g[MEMORY].data,
           (size_t)(g[MEMORY].dims[0] * g[MEMORY].dims[1] * g[MEMORY].dims[2]) * sizeof(float));
  for (int64_t i = 0; i < s->steps * across; i++) s->scores[i] = -INFINITY; // -inf: no hypothesis
  const char *error = k->kernels->search(&k->model, s);
  return error ? api->CreateStatus(ORT_FAIL, error) : deliver(context, s, top);
}

OrtStatus *run_decode(void *kernel, OrtKernelContext *context) {
  Kernel *k = kernel;
  Input g[DECODE_INPUTS] = {0};
  TRY(pack_once(k, context, DECODE_INPUTS + k->model.choices + (k->model.neighbours ? NEIGHBOUR_INPUTS : 0)));
  for (int i = 0; i < DECODE_INPUTS; i++) TRY(get_input(context, i, g + i));
  TRY(check_shapes(&k->model, g));
  Search s = {.places = g[MEMORY].dims[1],
              .sentences = g[SENTENCES].data,
              .thresholds = g[THRESHOLDS].data,
              .nodes = g[NODES].data,
              .roots_length = g[ROOTS].dims[1],
              .fresh = g[FRESH].data,
              .row_count = g[ROWS].dims[0],
              .sentence_count = g[SENTENCES].dims[0],
              .wanted = g[FRESH].dims[0],
              .steps = g[FRESH].dims[1],
              .capacity = g[HISTORIES].dims[1],
              .top = *(const int64_t *)g[TOP].data};
  CHECK(s.top >= 0, "top is negative");
  if (s.top > k->model.vocabulary) s.top = k->model.vocabulary;
  const int64_t top = s.top ? s.top : 1, across = s.top ? s.row_count : s.wanted;
  const size_t cells = (size_t)(s.steps * across);
  s.rows = calloc((size_t)s.row_count, sizeof *s.rows);
  s.scores = calloc(cells * (size_t)top, sizeof *s.scores);
  s.tokens = calloc(cells * (size_t)top, sizeof *s.tokens);
  s.parents = calloc(cells, sizeof *s.parents);
  s.attended = calloc(cells, sizeof *s.attended);
  const int has_memory = s.rows && s.scores && s.tokens && s.parents && s.attended;
  OrtStatus *status = has_memory ? search_in(k, context, g, &s, top) : api->CreateStatus(ORT_FAIL, "out of memory");
  void *all_of[] = {s.rows, s.scores, s.tokens, s.parents, s.attended};
  for (size_t i = 0; i < sizeof all_of / sizeof *all_of; i++) free(all_of[i]);
  return status;
}
