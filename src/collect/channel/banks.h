/* The exact counters of one process as they are at one moment: the channel's own and those of its
 * threads, which have a bank each, added up.
 *
 * When a thread ends, its bank is added to the channel's own counters and emptied; a reading that
 * falls into this would have some twice, so it is taken again (struct channel, merges). In every
 * bank counters are read in ascending order: entries of a superblock before its exits, as
 * consumers/exact.h needs. */
#pragma once

#include "base/vec.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stdint.h>

struct share;
struct unit_paths;

struct banks {
    const struct share *share; /* NULL: threads have no banks */
    uint32_t index;            /* of the channel */
    struct channel *channel;
    const uint64_t *mapped[CHANNEL_THREADS]; /* NULL: not needed yet */
    struct {
        VEC(uint64_t);
    } sum; /* the latest reading */
    struct {
        VEC(struct wire_path);
    } paths;          /* of all tables of paths, by function and path: banks_read_paths */
    uint32_t threads; /* that may have been counting meanwhile */
};

void banks_init(struct banks *banks, const struct share *share, uint32_t index,
                struct channel *channel);
void banks_release(struct banks *banks);

/* Makes `sum` anew, of the first `n` counters or as many as are published. False, and there is
 * none: threads ended again and again meanwhile. `last`: whoever ended a thread may have died over
 * it; then it is what it is. */
bool banks_read(struct banks *banks, uint64_t n, bool last);
/* The bank of a thread slot, or NULL. */
const void *banks_map(struct banks *banks, uint32_t slot);
/* Makes `paths` anew, with those that have counters of their own, as they are in `sum`: of a
 * process that is gone. */
void banks_read_paths(struct banks *banks, const struct unit_paths *known);
/* That one of them; NULL: there is none. */
const struct wire_path *banks_path(const struct banks *banks, uint32_t function, uint64_t path);
