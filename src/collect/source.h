/* One recorded process: its channel, read as it grows.
 *
 * Everything the process published is brought into the profile with source_read. Positions are kept
 * here, never taken back from the shared memory, and every length is checked: what makes no sense
 * is counted as garbled and skipped, to the end of what was published if need be. */
#pragma once

#include "collect/channel/banks.h"
#include "collect/channel/ring_entry.h"
#include "collect/windows/crew.h"
#include "collect/windows/decode.h"
#include "consumers/exact.h"
#include "process/mappings.h"
#include "values/payloads.h"
#include "collect/exact/path_plans.h"
#include "consumers/stream_dump.h"
#include "collect/exact/plans.h"
#include "collect/exact/trace.h"
#include "consumers/trace_check.h"
#include "consumers/trace_count.h"
#include "consumers/trace_contexts.h"
#include "consumers/trace_paths.h"
#include "consumers/trace_replay.h"
#include "consumers/trace_trips.h"
#include "consumers/trace_values.h"
#include "process/units.h"
#include "wire/channel.h"

#include <stdbool.h>

struct profile;

/* RECORD_EXACT_TRACE: what else there is. */
struct source_trace {
    struct trace trace;
    struct trace_count count;
    struct trace_check check;
    struct trace_trips trips;
    struct trace_paths paths;
    struct trace_contexts contexts;
    struct trace_values values;
    struct trace_replay *replay; /* NULL: nobody listens */
};

struct source {
    struct channel *channel;
    enum record_mode mode;
    struct mappings mappings;
    struct units units;
    struct crew crew;
    struct profile *profile;
    struct decode *decode; /* RECORD_SAMPLED */
    struct exact *exact;   /* all others */
    struct banks *banks;   /* its counters; or else */
    struct source_trace *trace;
    struct plans *plans;               /* NULL: there are none */
    struct path_plans *paths;          /* NULL: they are not counted */
    struct payload_sum payloads;       /* of windows that have them */
    struct payload_consumer *consumer; /* NULL: they are only counted */
    bool each_event;                   /* they are looked at one by one */
    uint64_t maps_read;                /* bytes */
    bool maps_broken;
    uint64_t units_dropped;  /* bytes of the section, from its second page on */
    uint64_t only_told;      /* changes of the mappings that the agent's table of places has */
    uint64_t ring_read;      /* bytes ever read */
    struct ring_bytes entry; /* private copy of one ring entry */
    struct source_stack {
        VEC(uint64_t);
    } stack; /* of one walk */
    uint64_t garbled;
    bool outlives; /* it still ran when its counters were read for the last time */
};

/* Whose channel it is. */
struct source_place {
    const struct share *share; /* NULL: a channel without banks */
    uint32_t index;            /* of the channel */
    struct channel *channel;
    int pid;
    struct selection *only;     /* what is kept; NULL: everything */
    bool loops;                 /* traces are looked through for runs of loops, */
    bool paths;                 /* for paths, */
    bool contexts;              /* and for calling contexts */
    struct walk_stacks *stacks; /* NULL: none are taken */
    uint32_t overhead_ppm;      /* the budget */
    uint32_t events;            /* EVENTS_ */
    uint64_t seed;
    bool by_callers;                   /* values are told apart by who called */
    const struct design *compress;     /* of values; NULL: none */
    const struct latency_scale *scale; /* NULL: latencies are not kept */
    struct module_host *module;        /* NULL: there is none */
    struct stream_dump *dump;          /* gets tuples of traces; NULL: nobody */
    struct replay_audience *audience;  /* of traces through a model; NULL: nobody */
    const struct model *core; /* traces go through it; NULL: only if there is an audience */
    bool for_core;            /* what exits record besides is for it alone */
    uint32_t
        pairs; /* one in so many instructions begins a pair that is followed through it; 0: none */
};

void source_init(struct source *source, const struct source_place *place, enum record_mode mode,
                 struct profile *profile);
void source_release(struct source *source);
/* Who gets events of windows and of traces, besides. */
void source_listen(struct source *source, struct payload_consumer *consumer);

/* Takes maps, units and walks published so far; returns the bytes read from the ring. */
uint64_t source_read(struct source *source);
/* Takes maps and units alone. */
void source_read_units(struct source *source);
/* Takes traces, and whatever is needed to understand them, until this time of CLOCK_MONOTONIC;
 * returns the bytes read of them. */
uint64_t source_read_trace(struct source *source, uint64_t until_ns);
/* Exact counts as they are now (`last`: for good), or the batch that is open, if it shall close.
 * Returns the CPU time of what is done only now that the process has ended. */
uint64_t source_count(struct source *source, bool close_batch, bool last);

/* Entries and walks that made no sense, of all sections. */
uint64_t source_garbled(const struct source *source);
