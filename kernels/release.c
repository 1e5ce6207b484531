// Frees the memory that packing allocated.
#include <stdlib.h>

#include "model.h"

static void release_norm(Norm *n) {
  free((void *)n->gain);
  free((void *)n->bias);
}

static void release_linear(Linear *l) {
  free(l->weights);
  free(l->scale);
  free(l->bias);
  free(l->start);
}

void release_model(Model *m) {
  for (Layer *l = m->layers; l && l < m->layers + m->depth; l++) {
    Norm *norms[] = {&l->self_norm, &l->cross_norm, &l->inner_norm};
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) release_norm(norms[i]);
    Linear *linears[] = {&l->self_projection, &l->self_output, &l->cross_query, &l->cross_output, &l->inner, &l->outer};
    for (size_t i = 0; i < sizeof linears / sizeof *linears; i++) release_linear(linears[i]);
  }
  release_norm(&m->embed_norm);
  release_norm(&m->final_norm);
  release_linear(&m->last);
  free(m->layers);
}
