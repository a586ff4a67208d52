/* All recorded processes: finds new ones, reads their channels and adds up their figures.
 *
 * The tool's CPU time is part of the overhead that the user allowed. So the tool reads seldom: just
 * often enough that no ring fills. It reports its CPU time to the agents, which take it from their
 * budget. */
#pragma once

#include "base/map.h"
#include "collect/target/cpu_times.h"
#include "collect/source.h"
#include "collect/windows/window_consumer.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Figures of all processes. */
struct drain_sum {
    struct totals totals; /* interrupts, windows, instructions, agent_ns and losses */
    uint64_t walked_ns;   /* CPU time that the walked instructions would have taken natively */
    uint64_t miscounted;  /* as in struct weighing */
    uint64_t recorded_ns; /* CPU time of walked threads, since sampling could begin */
    struct trail_sum trails;
    struct trail_rates rates; /* where trails count */
    uint64_t sampled_ns;      /* user time of samples */
    u128 varieties;           /* the same, each process's times its variety (wire/plain.h) */
    struct trace_verdict trace;
    struct payload_sum payloads;
    struct stream_sum stream;
};

struct drain {
    const struct recording_session *session;
    struct source *sources[CHANNEL_N]; /* NULL: not seen yet, or retired */
    struct channel *mapped[CHANNEL_N];
    uint64_t tool_ns[CHANNEL_N]; /* CPU time of the tool, this channel's share */
    uint64_t tool_ns_told;       /* CPU time of the tool that has been shared out */
    uint64_t startup_ns;         /* CPU time of the tool before the recording */
    uint64_t ending_ns;          /* and once at the end of each process, when nobody waits */
    uint64_t began_ns, cpus;     /* CLOCK_MONOTONIC; CPUs online */
    uint64_t delay_ns;           /* until the next reading */
    uint64_t ran_ns, read_ns;    /* at the last reading: CPU time of the program; the time */
    uint64_t stretch;            /* elapsed time by CPU time of late, at least 1 */
    uint64_t unwatched_ns;       /* CPU time of each process before its first sample */
    bool quiet;                  /* nothing was read since drain_count */
    bool ending;                 /* the program has ended: channels are not freed any more */
    uint32_t processes;          /* that started recording, again after each exec */
    struct map pids;             /* of these: a process is one, whatever it executes */
    uint32_t met;    /* processes, those included that were over before their first sample */
    uint64_t joined; /* forked processes, when channels were last searched: later ones are in none
                        of the sums */
    uint64_t memory_bytes; /* the highest figure of any process */
    size_t expected_bytes; /* of the tool's memory, got for the last reading of exact runs */
    struct channel first;  /* latest copy of the first process's header */
    const struct source *first_source;
    struct drain_sum retired; /* processes that ended and whose channel was freed */
};

/* The session is complete. CPU time for loading its module counts as start-up. */
void drain_init(struct drain *drain, const struct recording_session *session);
void drain_release(struct drain *drain);

/* Reads all that was published, frees the channels of ended processes, and chooses delay_ns. */
void drain_read(struct drain *drain);
/* Channels run out: many processes began since the last reading. Read now. */
bool drain_crowded(const struct drain *drain);
/* CPU time of the tool, and of the module's process. */
uint64_t drain_own_ns(const struct drain *drain);
/* Of that: to read files on a CPU that was idle. It is work that is done once, and not governed. */
uint64_t drain_ahead_ns(const struct drain *drain);
/* Makes plans that processes wait for; returns how many. */
uint32_t drain_serve(struct drain *drain);
/* Reads the traces of known processes, until this time of CLOCK_MONOTONIC; returns bytes. */
uint64_t drain_read_traces(struct drain *drain, uint64_t until_ns);
/* The program has ended: traces are read to where they are now, and no further. */
void drain_traces_over(struct drain *drain);
/* Bytes of them not read yet. */
uint64_t drain_traces_left(const struct drain *drain);
/* Brings the rest into the profile: exact counters, and batches that no walk will complete soon.
 * `last`: the program has ended. */
void drain_count(struct drain *drain, bool last);

/* The profile was emptied. */
void drain_forget(struct drain *drain);

/* Adds the CPU time of recorded processes that outlive the program `pid`: no wait() reports it. */
void drain_outliving(const struct drain *drain, int pid, struct cpu_times *times);

/* All processes, up to now. */
void drain_sum(const struct drain *drain, bool last, struct drain_sum *ret_sum);
