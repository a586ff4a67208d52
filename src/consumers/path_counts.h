/* What paths tell of ranges and edges: code that is covered by plans has no counters, but whoever
 * knows how often each path was gone knows how often each of its blocks ran. Paths that were left
 * for good before their end are in nothing of it. */
#pragma once

#include "consumers/path_book.h"

struct exact;
struct path_counts {
    struct path_book book;
    struct {
        VEC(struct book_function *);
    } touched;             /* functions that have counts */
    struct path_arcs arcs; /* scratch */
};

void path_counts_release(struct path_counts *counts);

/* The function at the place went along the path so many times. `covered`: nobody else counts its
 * code. */
void path_counts_add(struct path_counts *counts, const struct mappings *mappings,
                     struct place function, uint64_t path, uint64_t count, bool covered);
/* Gives out all that was added, as counters of the process would have been, and how many
 * instructions it was; and forgets it. */
void path_counts_give(struct path_counts *counts, struct exact *exact);
