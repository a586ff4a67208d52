/* Recorded steps of control, by source and by both ends. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "paths/trail_build.h"

struct trail_seen_list {
    VEC(struct trail_seen); /* by from, to; no two alike */
    struct map keys;        /* two addresses; index i is of at[i] */
};

void trail_seen_make(struct trail_seen_list *list, const struct trail_seen *seen, size_t n);
void trail_seen_release(struct trail_seen_list *list);

/* 0: never. */
uint64_t trail_seen_count(const struct trail_seen_list *list, struct svma from, struct svma to);
/* The recorded targets of an instruction: the first, and how many. */
const struct trail_seen *trail_seen_from(const struct trail_seen_list *list, struct svma from,
                                         size_t *ret_n);
