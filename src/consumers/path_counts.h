/* Ranges and edges from paths: code that plans cover has no counters, but the counts of paths say
 * how often each block ran. Paths that never reached their end are not counted. */
#pragma once

#include "consumers/path_book.h"

struct exact;
struct path_counts {
    struct path_book book;
    struct {
        VEC(struct book_function *);
    } touched;             /* functions with counts */
    struct path_arcs arcs; /* scratch */
};

void path_counts_release(struct path_counts *counts);

/* The function took the path so many times. `covered`: its code has no other counters. */
void path_counts_add(struct path_counts *counts, const struct mappings *mappings,
                     struct place function, uint64_t path, uint64_t count, bool covered);
/* Gives everything to `exact`, as counters of the process would have been, and clears it. */
void path_counts_give(struct path_counts *counts, struct exact *exact);
