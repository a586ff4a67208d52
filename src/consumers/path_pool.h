/* Parts of windows that wait to be searched for paths.
 *
 * Reading a function for the first time costs a thousand times what following its paths does. While
 * the program runs the tool has next to no time, so parts wait until the program has ended, or
 * until there are many. They keep to their batches: the weights of each batch are added to the sums
 * with the weight of all of that batch. */
#pragma once

#include "base/vec.h"
#include "consumers/path_walk.h"
#include "profile/batch.h"

struct path_part {
    size_t first; /* exit in the pool */
    uint32_t n;
    uint32_t instructions;
    uint64_t weight; /* of each path */
    struct path_end end;
};
struct path_batch {
    size_t parts; /* end before this part */
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
    } batches;          /* closed ones */
    uint64_t closed;    /* batches, ever */
    uint64_t folded;    /* of them, in the profile */
    struct batch batch; /* of the search */
    struct path_book book;
    struct path_walks walks;
    struct path_walk walk;
};

void path_pool_init(struct path_pool *pool, struct units *units);
void path_pool_release(struct path_pool *pool);

void path_pool_add(struct path_pool *pool, const uint32_t *exits, const struct path_part *part);
/* Closes the batch of the parts added since the last call. x_time, x_count: the weight of all its
 * windows. */
void path_pool_close(struct path_pool *pool, uint64_t x_time, uint64_t x_count);
bool path_pool_is_full(const struct path_pool *pool);
/* Searches all closed batches, and empties the pool. Modules with more than `code_most` bytes of
 * code are left out. Less than a second of CPU time gives no intervals, and reading the program
 * would cost more than recording it: that is not searched. */
void path_pool_give(struct path_pool *pool, struct profile *profile, uint64_t code_most);
