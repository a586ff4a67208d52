/* Series of up to SERIES_PATHS consecutive paths of one activation of a function, counted.
 *
 * Every path ends a series of two, of three and so on, as far back as its activation is known. A
 * series is a node of a tree. A frame keeps the series that it has just ended: its next path
 * extends each of them by one step, with one search each, however long they are (D'Elia and
 * Demetrescu, 2013). Nodes survive when their counts are given to the profile. */
#pragma once

#include "process/mappings.h"
#include "profile/profile.h"

struct series_node {
    uint64_t count;  /* not in the profile yet */
    uint64_t number; /* the path that came next last time, a guess for this time: */
    uint32_t next;   /* its node; MAP_NONE: none yet */
};

struct path_series {
    struct map keys; /* struct series_key, parents first */
    struct series_nodes {
        VEC(struct series_node);
    } nodes; /* as keys */
};

/* Series that ended with the last path of an activation, shortest first: that path alone. */
struct series_ended {
    uint32_t n;
    uint32_t nodes[SERIES_PATHS];
    uint64_t begins[SERIES_PATHS]; /* positions in the stream */
};

void path_series_init(struct path_series *series);
void path_series_release(struct path_series *series);

/* The node of a function, before any path. */
uint32_t path_series_root(struct path_series *series, struct place function);
/* The activation took another path, which began at that position. */
void path_series_step(struct path_series *series, struct series_ended *ended, uint32_t root,
                      uint64_t path, uint64_t begin);
void path_series_count(struct path_series *series, uint32_t node, uint64_t weight);
/* Adds the counts to the profile, as a group of its own. */
void path_series_give(struct path_series *series, struct profile *profile, uint32_t group);
