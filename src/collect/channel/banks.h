/* The exact counters of one process at one moment: the sum of the channel's own counters and those
 * of its threads, which have a bank each.
 *
 * When a thread ends, its bank is added to the channel's counters and cleared. A reading meanwhile
 * would count some twice, so it is repeated (struct channel, merges). Counters of a bank are read
 * in ascending order: entries of a superblock before its exits, as consumers/exact.h needs. */
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
    } paths;          /* of all tables, by function and path (banks_read_paths) */
    uint32_t threads; /* that may have counted meanwhile */
};

void banks_init(struct banks *banks, const struct share *share, uint32_t index,
                struct channel *channel);
void banks_release(struct banks *banks);

/* Computes `sum` of the first `n` counters, or of those published. False: no sum, because threads
 * kept ending. `last`: read even so; a thread may have died while it ended another. */
bool banks_read(struct banks *banks, uint64_t n, bool last);
/* The bank of a thread slot, or NULL. */
const void *banks_map(struct banks *banks, uint32_t slot);
/* Computes `paths` of a process that has ended, including paths with a counter in `sum`. */
void banks_read_paths(struct banks *banks, const struct unit_paths *known);
/* NULL: there is none. */
const struct wire_path *banks_path(const struct banks *banks, uint32_t function, uint64_t path);
