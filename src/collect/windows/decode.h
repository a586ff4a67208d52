/* Sampled walks -> ranges, edges and places that were interrupted, weighed.
 *
 * Every window is normalised by its own length, and stands for the time between samples of its
 * thread (crew.h). The weight of an exit that was seen k times in a window of N instructions that
 * stands for W is u = W k / N, rounded once; all ranges and edges that the exit implies are sums of
 * such u, so what flows into a segment flows out of it, to the last unit.
 *
 * Walks close in time are correlated, of one thread or of several, so batches are long: in time as
 * it passes and in CPU time. The first is for many threads that do one thing together, the second
 * for those that seldom run.
 *
 * An exit costs a few ns: its counter is bumped. At the end of a window the exits that it touched
 * are weighed, at the end of a batch the superblocks that it touched are expanded, each once. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "values/circumstances.h"
#include "values/conflicts.h"
#include "collect/windows/crew.h"
#include "collect/windows/expansion.h"
#include "values/held_locks.h"
#include "values/latencies.h"
#include "collect/windows/messages.h"
#include "collect/modules/module_values.h"
#include "collect/windows/context_runs.h"
#include "consumers/path_pool.h"
#include "collect/windows/rates.h"
#include "process/selection.h"
#include "collect/stacks/stack_past.h"
#include "collect/windows/tally.h"
#include "consumers/trips.h"
#include "values/value_lists.h"
#include "process/units.h"
#include "collect/windows/window_keep.h"
#include "collect/windows/window_reach.h"
#include "profile/batch.h"
#include "wire/channel.h"

#include <stdbool.h>

enum {
    DECODE_BATCH_NS = 250000000,
    VALUE_WEIGHT_MAX = 256,
    VALUES_EVERY = 4, /* batches: thousands of rows, which cost as much as the values themselves */
    DECODE_RATE_MAX = 16 << RATE_BITS, /* no machine retires more instructions in a TSC tick */
};

/* The batch that is open: when it began, and the CPU time that its samples cover. */
struct decode_span {
    uint64_t start_tsc, cpu_ns;
};

/* Paths are looked for in one window of `every`, a power of two that follows what that costs: no
 * more than a quarter of the budget. Each such window stands for as many. */
struct decode_pace {
    uint32_t overhead_ppm; /* the budget */
    uint32_t every;
    uint64_t exits;  /* to be followed, in this batch */
    uint64_t cpu_ns; /* of batches that are closed */
};

/* Good trails, added up. `native`: as the program would have run without the copies (wire/plain.h).
 */
struct decode_trails {
    uint64_t n, instructions, native_ticks;
    uint64_t rates, native_rates; /* the sums of their rates */
};

struct decode {
    struct units *units;
    struct crew *crew;
    struct profile *profile; /* gets closed batches */
    struct batch batch;
    struct tally tally;
    struct expansion expansion; /* of the tally */
    struct trips trips;
    struct path_pool paths;
    struct trip_walk trip_walk; /* of the window */
    struct value_lists values;
    uint64_t batches; /* closed so far */
    struct decode_mean {
        double executions, instructions, windows;
    } mean; /* of windows so far */
    struct window_keep keep;
    uint64_t window_ns; /* what the last window stands for; 0: it is none */
    uint32_t counted;   /* exits of it that count */
    struct window_reach reach;
    uint32_t values_weigh;  /* those of the last window: in 2^-VALUE_BITS; 0: it is none */
    uint32_t window_weighs; /* the last window's passages, if all windows were as long */
    struct circumstances circumstances;
    struct held_locks locks;
    struct latencies latencies;
    struct messages messages; /* of windows that were compressed */
    struct conflicts conflicts;
    struct module_values module;
    struct decode_pace pace; /* of paths */
    struct decode_span span;
    uint64_t tsc_hz;    /* 0: not known */
    struct rates rates; /* of timed windows, for those without */
    struct decode_trails trails, long_trails;

    struct walk_stacks *stacks; /* of the recording; NULL: none are taken */
    struct stack_past past;
    const struct stack *stack; /* of the walk; NULL: it has none */
    struct context_runs context_runs;
    uint64_t stack_begin; /* of the thread of the last walk; 0: not known */

    uint32_t samples;               /* places so far */
    uint64_t windows, instructions; /* accepted so far */
    uint64_t complete_ns;           /* that complete windows stand for */
    uint64_t garbled;               /* walks that contradict the units: left out */
    uint64_t unmapped;              /* observations outside every module */
    uint64_t miscounted;            /* windows whose own length is not that of their exits */
};

void decode_init(struct decode *decode, struct units *units, struct crew *crew,
                 struct profile *profile);
void decode_release(struct decode *decode);

/* `exits` has walk->n_exits ids, and before them those of the lead. All must be private copies: the
 * ring may change under us. `stack`: NULL if none was copied. */
void decode_walk(struct decode *decode, const struct event_walk *walk, const uint32_t *exits,
                 const struct stack_sample *stack);
/* What a compressor in the process has passed on; private copies. Exits among them weigh when the
 * batch is closed. */
void decode_messages(struct decode *decode, const struct message *messages, size_t n);
/* Closes the batch that is open, if any. */
void decode_flush(struct decode *decode, bool last);
/* What was put by, when the program has ended. */
void decode_finish_paths(struct decode *decode);
