/* Load latencies by place: how many loads were near, in the third cache, in memory, and the ticks
 * of each; and the cache lines that were slow more than once.
 *
 * Only some loads are timed (walk/emit/payload.h), chosen at random and not by place, so the timed
 * loads of a place are a fair sample. Everything goes into the batch when that is closed, and is
 * cleared.
 *
 * Most latency words of a window say "not timed". So the latency words of a superblock are found
 * once, and only those are read. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "values/latency_scale.h"
#include "values/payloads.h"
#include "values/value_lists.h"
#include "profile/batch.h"
#include "compress/hotlist.h"

struct latency_cell {
    uint64_t count;
    double ticks, squares;
};

struct latency_place {
    bool touched;
    struct latency_cell bins[LATENCY_BINS];
    struct hotlist slow; /* line and bin in one value, of loads that were not near */
};

/* A word of a superblock that holds a latency. */
struct latency_item {
    uint32_t word, item;   /* from the superblock's first */
    uint32_t address_word; /* of its address, if recorded; or LATENCY_NOWHERE */
    struct place at;
    bool kept;                  /* record --only */
    uint32_t place, line_place; /* LATENCY_NOWHERE: never timed */
};
enum { LATENCY_NOWHERE = UINT32_MAX };

struct latency_superblock {
    bool known;
    uint32_t first, n; /* of its items */
};

struct latencies {
    const struct latency_scale *scale; /* NULL: latencies are not kept */
    struct value_lists *lists;         /* gets lines with bins */
    struct random random;
    struct map keys; /* struct latency_key, bin and data 0 */
    struct {
        VEC(struct latency_place);
    } places; /* as keys */
    struct {
        VEC(uint32_t);
    } touched; /* since the last batch */
    struct {
        VEC(struct latency_item);
    } items;
    struct {
        VEC(struct latency_superblock);
    } superblocks; /* as those of units */
};

void latencies_init(struct latencies *latencies, struct value_lists *lists);
void latencies_release(struct latencies *latencies);
/* A window that the lists have taken. Returns how many of its loads were timed. */
uint64_t latencies_window(struct latencies *latencies, const struct payload_window *window);
/* So many loads of the place took so many ticks. */
void latencies_see(struct latencies *latencies, struct place at, uint64_t ticks, uint64_t times);
void latencies_flush(struct latencies *latencies, struct batch *batch);
