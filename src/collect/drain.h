/* All recorded processes: finds new ones, reads them, and adds up what they say of themselves.
 *
 * The tool's own CPU time is part of the overhead the user allowed, so reading is rare: just often
 * enough that no ring fills, and told to the agents, which take it from their budget. */
#pragma once

#include "collect/target/cpu_times.h"
#include "collect/source.h"
#include "collect/windows/window_consumer.h"
#include "profile/profile.h"

#include <stdbool.h>

/* What is known of processes, added up. */
struct drain_sum {
    struct totals totals; /* interrupts, windows, instructions, agent_ns and losses */
    uint64_t walked_ns;   /* CPU time the program would have needed by itself for what it walked */
    uint64_t miscounted;  /* as in struct weighing */
    uint64_t recorded_ns; /* CPU time of the threads that were walked, from the first sample that
                             may be */
    struct trail_sum trails, long_trails;
    struct trace_verdict trace; /* of exact traces */
    struct payload_sum payloads;
    struct stream_sum stream;
};

struct drain {
    const struct recording_session *session;
    struct source *sources[CHANNEL_N]; /* NULL: not seen yet, or retired */
    struct channel *mapped[CHANNEL_N];
    uint64_t tool_ns[CHANNEL_N]; /* this channel's share of our CPU time */
    uint64_t tool_ns_told;       /* our CPU time that has been shared out */
    uint64_t startup_ns;         /* our CPU time before that */
    uint64_t ending_ns;          /* and once at the end of each process: nobody waits for it */
    uint64_t began_ns, cpus;     /* by the monotonic clock; CPUs that are online */
    uint64_t delay_ns;           /* until the next reading */
    uint64_t unwatched_ns;       /* CPU time of each process before its first sample */
    bool quiet;                  /* nothing came since drain_count */
    bool ending;                 /* the program has ended: channels need not be freed any more */
    uint32_t processes;          /* that started recording */
    uint64_t joined; /* of those that were forked, when channels were last looked for: later ones
                        are in none of the sums */
    uint64_t memory_bytes; /* the most that any of them said */
    struct channel first;  /* the latest words of the first of them */
    const struct source *first_source;
    struct drain_sum retired; /* processes that are gone and whose channel has been freed */
};

/* The session has all it will have: what loading its module took is start-up. */
void drain_init(struct drain *drain, const struct recording_session *session);
void drain_release(struct drain *drain);

/* Reads everything that was published, frees the channels of processes that are gone, and chooses
 * delay_ns. */
void drain_read(struct drain *drain);
/* Channels run out: many processes began since the last reading. It should be done now. */
bool drain_crowded(const struct drain *drain);
/* CPU time of the tool, and of the module's process. */
uint64_t drain_own_ns(const struct drain *drain);
/* Makes plans that processes wait for; returns how many. */
uint32_t drain_serve(struct drain *drain);
/* Reads the traces of known processes, until this time of CLOCK_MONOTONIC; returns bytes. */
uint64_t drain_read_traces(struct drain *drain, uint64_t until_ns);
/* The program has ended: what is in traces now is all that will be read of them. */
void drain_traces_over(struct drain *drain);
/* Bytes of it that were not read yet. */
uint64_t drain_traces_left(const struct drain *drain);
/* Brings into the profile what is not yet: exact counters, and batches that no walk will fill up
 * soon. `last`: the program has ended. */
void drain_count(struct drain *drain, bool last);

/* The profile was emptied. */
void drain_forget(struct drain *drain);

/* Adds what recorded processes have used that are still there when the program `pid` has ended:
 * nobody waited for them. */
void drain_outliving(const struct drain *drain, int pid, struct cpu_times *times);

/* All processes together, by now. `last`: as above. */
void drain_sum(const struct drain *drain, bool last, struct drain_sum *ret_sum);
