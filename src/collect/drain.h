/* All recorded processes: finds new ones, reads them, and adds up what they say of themselves.
 *
 * The tool's own CPU time is part of the overhead the user allowed, so reading is rare: just often
 * enough that no ring fills, and told to the agents, which take it from their budget. */
#pragma once

#include "collect/share.h"
#include "collect/source.h"
#include "profile/profile.h"

#include <stdbool.h>

struct drain {
    struct share *share;
    struct profile *profile; /* what is new goes here */
    enum record_mode mode;
    struct source *sources[CHANNEL_N]; /* NULL: not seen yet */
    struct channel *mapped[CHANNEL_N];
    uint64_t tool_ns[CHANNEL_N]; /* this channel's share of our CPU time */
    uint64_t tool_ns_told;       /* our CPU time that has been shared out */
    uint64_t delay_ns;           /* until the next reading */
    bool quiet;                  /* nothing came since drain_count */
};

void drain_init(struct drain *drain, struct share *share, struct profile *profile,
                enum record_mode mode);
void drain_release(struct drain *drain);

/* Reads everything that was published and chooses delay_ns. */
void drain_read(struct drain *drain);
/* Brings into the profile what is not yet: exact counters, and batches that no walk will fill up
 * soon. `last`: the processes are gone. */
void drain_count(struct drain *drain, bool last);

/* What the channels say by now, all processes together: interrupts, windows, instructions, agent_ns
 * and losses. `gone`: the program has ended. */
void drain_totals(const struct drain *drain, bool gone, struct totals *ret_totals);
/* CPU time the program would have needed by itself for what it did inside walks. */
uint64_t drain_walked_ns(const struct drain *drain);
/* Processes that started recording. */
uint32_t drain_processes(const struct drain *drain);
/* The first of them, or NULL. */
const struct source *drain_first(const struct drain *drain);
