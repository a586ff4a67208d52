/* Paths that one activation of a function went one after the other, up to SERIES_PATHS of them,
 * counted.
 *
 * Every path ends a series of two, of three and so on, as far back as its activation is known. A
 * series is a node of a tree, and a frame keeps those that it has just ended: with its next path
 * each of them is one step longer, which takes one search each, however long they are (D'Elia and
 * Demetrescu, 2013). Nodes stay known when their counts are given out. */
#pragma once

#include "process/mappings.h"
#include "profile/profile.h"

struct series_node {
    uint64_t count;  /* since it was last given out */
    uint64_t number; /* the path that came next last time, which it mostly does again: */
    uint32_t next;   /* its node; MAP_NONE: none came yet */
};

struct path_series {
    struct map keys; /* struct series_key, parents first */
    struct series_nodes {
        VEC(struct series_node);
    } nodes; /* as keys */
};

/* Series that ended with the last path of an activation, the shortest first, which is that path
 * alone. */
struct series_ended {
    uint32_t n;
    uint32_t nodes[SERIES_PATHS];
    uint64_t begins[SERIES_PATHS]; /* where in its stream each began */
};

void path_series_init(struct path_series *series);
void path_series_release(struct path_series *series);

/* The node of a function, which no path has gone yet. */
uint32_t path_series_root(struct path_series *series, struct place function);
/* The activation of that function has gone another path, which began there. */
void path_series_step(struct path_series *series, struct series_ended *ended, uint32_t root,
                      uint64_t path, uint64_t begin);
void path_series_count(struct path_series *series, uint32_t node, uint64_t weight);
/* Adds what was counted to the profile, as a group of its own. */
void path_series_give(struct path_series *series, struct profile *profile, uint32_t group);
