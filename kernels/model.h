// The model as the kernels see it, and the functions of each instruction set. Axes: R rows (decoder: live hypotheses;
// encoder: source positions of all sentences), D width, L layers, C places of the memory, K candidates.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { LANES = 16, STRIP = 64 }; // floats of a vector; columns of a strip, of which a Linear has whole ones
enum { RELU, GELU, SWISH };

// y = x W + b with 8-bit weights, one scale a column, see products.c.
typedef struct {
  int inputs, outputs;   // sizes in the model
  int depth, columns;    // sizes in memory: inputs in whole vectors, outputs in whole strips
  int8_t *weights;
  float *scale, *bias;   // of each column
  int32_t *start;        // start value of each column's sum: cancels the offset of the activations
} Linear;

typedef struct {
  const float *gain, *bias; // D, in whole vectors
} Norm;

typedef struct {
  Norm self_norm, cross_norm, inner_norm;
  Linear self_projection, self_output, cross_query, cross_output, inner, outer;
} Layer;

typedef struct {
  int width, heads, feed_forward, depth, vocabulary, positions;
  // decoder: layers look at a source; the last product is the vocabulary's
  int pre_norm, embedding_norm, activation, decoder;
  int recurrent;                                     // decoder only: layers have a state in place of self-attention
  int choices;                                       // decoder only: sentences may be limited to some of the vocabulary
  int neighbours;                                    // decoder only: sentences may have neighbours
  int cross_layers;                                  // encoder only: number of decoder layers that get keys and values
  int alignment_layer, alignment_head;               // -1: there is none
  int64_t eos;
  float embedding_scale, epsilon;
  const uint16_t *embedding; // (vocabulary, D) float16
  const float *position;     // (positions, D)
  Norm embed_norm, final_norm;
  Layer *layers;
  Linear last;
} Model;

// A tensor of the weights, as the graph has it.
typedef struct {
  const void *data;
  int64_t rows, columns; // of a vector, rows is 1
  int halves;            // float16, else float32
} Tensor;

// A node of the prefix trees of a lexicon, see app/engine/decoding/word_trees.py. 0 means no node.
enum { ENDS = 1, OF_NAME = 2 };
typedef struct {
  int32_t token, sibling, child, flags; // token: of a root, the number of its word
} Node;

// The pieces that a sentence may choose from, ascending, and their columns of the vocabulary's product.
typedef struct {
  const int32_t *tokens;
  Linear last;
} Choices;

// The datastore of a sentence: tokens of similar translations, and the states before them; see neighbours.c.
typedef struct {
  const int32_t *tokens;
  Linear keys;
} Neighbours;

// A live hypothesis at the step that is being made.
typedef struct {
  int64_t token;
  int position, place;   // position in the target; place in the memory for this step's keys and values
  int32_t *history;      // the places of the earlier positions; this step's place is appended
  const int32_t *source; // the places of the source positions
  int source_length;
  int slot;              // number among the hypotheses of its sentence
  double total;          // log-probability
  const int32_t *roots;  // of the words at the source positions; 0 where the lexicon has none
  uint64_t used;         // the words whose translations it has, a bit for each
  int32_t node;          // of its last token, if the lexicon offered it
  const Choices *choices; // NULL: the whole vocabulary
  const Neighbours *neighbours; // NULL: none
} Row;

typedef struct {
  int64_t rows, beams, source_length; // live hypotheses, those still wanted, source positions
} Sentence;

// A search of many sentences, or one step of it. All inputs have been checked.
typedef struct {
  // (2L, C, D): keys and values of every layer, of source and target positions alike. At the places of target
  // positions, a recurrent layer has its state where the others have keys.
  float *memory;
  int64_t places;       // C
  Row *rows;            // rows of all sentences; a sentence's rows are side by side, best first
  const Sentence *sentences;
  const double *thresholds; // of each sentence, how far a hypothesis may fall behind the best
  const Node *nodes;    // of the lexicon
  int64_t roots_length; // source positions that the rows' roots have
  const int32_t *choices; // (sentences, choices_length): the pieces of each, then -1; NULL: none is limited
  int64_t choices_length;
  // Of the sentences' neighbours, one after the other: states, as [N / 64][D / 4][64][4]; of each its scale, sums
  // (see gather) and token; and the number of each sentence, which begins with a strip of its own. NULL: none has any.
  const int8_t *keys;
  const float *key_scales;
  const int32_t *key_sums, *key_tokens;
  const int64_t *key_counts;
  const int32_t *fresh; // (wanted hypotheses of all sentences, steps): free places for new keys and values
  int64_t row_count, sentence_count, wanted, steps, capacity; // capacity: entries of a history
  int64_t top;          // K, of a single step; 0 for a search
  // Results, (steps, wanted) or of a single step (rows, K); histories (wanted or rows, capacity).
  double *scores;
  int64_t *tokens, *parents, *attended; // attended: source positions, see with_best
  int32_t *histories;
  int8_t *states;      // (rows, D) of a single step, with a scale each; NULL: not wanted
  float *state_scales;
  int64_t steps_made;
} Search;

typedef struct {
  const char *name;
  // All return NULL, or an error message.
  const char *(*pack)(Model *model, const Tensor *tensors, int count);
  const char *(*encode)(const Model *model, const int64_t *ids, const int64_t *lengths, int64_t sentences,
                        float *features);
  const char *(*search)(const Model *model, Search *search);
} Kernels;

extern const Kernels kernels_plain, kernels_sse41, kernels_avx2, kernels_avxvnni, kernels_avx512vnni, kernels_amx,
    kernels_neonv8, kernels_neon, kernels_neoni8mm;
const Kernels *choose_kernels(const char *name); // the fastest, or the named one; NULL if the processor lacks that
void release_model(Model *model);
