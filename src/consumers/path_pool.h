/* Parts of windows that are yet to be looked through for paths.
 *
 * To read a function that is met for the first time costs a thousand times what following it does.
 * While the program runs the tool has next to no time, so parts are put by, and looked through when
 * the program has ended, or when they are many. They keep to their batches: what a key weighs in
 * each is added to its sums with what all of that batch weighed. */
#pragma once

#include "base/vec.h"
#include "consumers/path_walk.h"
#include "profile/batch.h"

struct path_part {
    size_t first; /* of its exits in the pool */
    uint32_t n;
    uint32_t instructions;
    uint64_t weight; /* of each path */
    struct path_end end;
};
struct path_batch {
    size_t parts; /* ends before this one */
    uint64_t x_time, x_count;
};

struct path_pool {
    struct {
        VEC(uint32_t);
    } exits;
    struct {
        VEC(struct path_part);
    } parts;
    struct {
        VEC(struct path_batch);
    } batches;          /* that are closed */
    uint64_t closed;    /* batches, ever */
    uint64_t folded;    /* of them, into the profile */
    struct batch batch; /* the one under way while they are looked through */
    struct path_book book;
    struct path_walks walks;
    struct path_walk walk;
};

void path_pool_init(struct path_pool *pool, struct units *units);
void path_pool_release(struct path_pool *pool);

void path_pool_add(struct path_pool *pool, const uint32_t *exits, const struct path_part *part);
/* The batch of all that was added since the last one: what all of it weighed. */
void path_pool_close(struct path_pool *pool, uint64_t x_time, uint64_t x_count);
bool path_pool_is_full(const struct path_pool *pool);
/* Looks through what is closed, and empties the pool of it. Modules with more than `code_most`
 * bytes of code are left out. Of less than a second of CPU time nothing could be told that has an
 * interval, and reading the program would cost more than recording it: that is left. */
void path_pool_give(struct path_pool *pool, struct profile *profile, uint64_t code_most);
