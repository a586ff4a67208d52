/* Stacks of functions: the tree of places reduced to names. Places of one function with the same
 * callers are merged. */
#pragma once

#include "export/job/named_places.h"
#include "export/job/tree.h"

#define NAMESTACK_NONE UINT32_MAX

struct namestack {
    uint32_t parent;   /* NAMESTACK_NONE: a root; else less than its own number */
    uint32_t function; /* of the places; of a root its thread's name, one of places->strings */
    uint64_t thread;   /* of a root */
    uint64_t weight;   /* seen with this function innermost */
};

struct namestacks {
    struct map keys;
    VEC(struct namestack); /* a parent before its children */
};

enum namestack_roots {
    ROOT_NAMES,   /* threads of one name are one root, functions of one name are one */
    ROOT_THREADS, /* each thread is a root, each function itself */
};

void namestacks_build(struct namestacks *namestacks, const struct tree *tree,
                      struct named_places *places, enum namestack_roots roots);
void namestacks_release(struct namestacks *namestacks);

/* All of them as a walk from the roots meets them, children in the order of their names. */
struct namestack_walk {
    VEC(uint32_t); /* numbers, parents before children */
};
void namestacks_sort(struct namestack_walk *walk, const struct namestacks *namestacks,
                     const struct named_places *places);
