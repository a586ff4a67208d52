/* Stacks of functions: the tree of places with everything but names left out, so that the places of one
 * function that were called by the same functions are one. */
#pragma once

#include "export/places.h"
#include "export/tree.h"

#define CONTEXT_NONE UINT32_MAX

struct context {
    uint32_t parent;   /* CONTEXT_NONE: a root; else less than its own number */
    uint32_t function; /* of the places; of a root its thread's name, one of places->strings */
    uint64_t thread;   /* of a root */
    uint64_t weight;   /* seen with this function innermost */
};

struct contexts {
    struct map keys;
    VEC(struct context); /* a parent before its children */
};

enum contexts_roots {
    ROOT_NAMES,   /* threads of one name are one root, functions of one name are one */
    ROOT_THREADS, /* each thread is a root, each function itself */
};

void contexts_build(struct contexts *contexts, const struct tree *tree, struct places *places,
                    enum contexts_roots roots);
void contexts_release(struct contexts *contexts);

/* The contexts that a walk from the roots meets, children in the order of their names. */
struct context_walk {
    VEC(uint32_t); /* contexts, parents before children */
};
void contexts_sort(struct context_walk *walk, const struct contexts *contexts,
                   const struct places *places);
