/* Parts of windows on their way into a profile, where they wait to be searched for paths
 * (profile/path_parts.h).
 *
 * Parts keep to their batches: the weights of each batch are added to the sums with the weight of
 * all of that batch. */
#pragma once

#include "process/units.h"
#include "profile/path_parts.h"

struct path_pool {
    const struct units *units;
    struct path_sheet sheet; /* its blocks and segments come last */
    struct parts_habits habits;
    uint32_t open;   /* parts of the batch under way */
    uint64_t closed; /* batches, ever */
};

void path_pool_init(struct path_pool *pool, const struct units *units);
void path_pool_release(struct path_pool *pool);

/* Adds exits that the units know, at most PARTS_PART_MAX, and the one that follows them. Weight: of
 * each path. */
void path_pool_add(struct path_pool *pool, const uint32_t *exits, uint32_t n, uint32_t instructions,
                   uint64_t weight);
/* Closes the batch of the parts added since the last call. x_time, x_count: the weight of all its
 * windows. */
void path_pool_close(struct path_pool *pool, uint64_t x_time, uint64_t x_count, uint64_t moment_ns);
bool path_pool_is_full(const struct path_pool *pool);
/* Moves all closed batches into the profile, and empties the pool. Less than a second of CPU time
 * gives no intervals, and is not kept. False: it was too much. */
bool path_pool_give(struct path_pool *pool, struct path_parts *to);
