/* What a window weighs.
 *
 * Every window is normalised by its own length, and stands for the CPU time between samples of its
 * thread (crew.h). An exit that was seen k times in a window of N instructions that stands for W
 * weighs u = W k / N, rounded once. All ranges and edges that the exit implies are sums of such u,
 * so what flows into a segment flows out of it, to the last unit.
 *
 * Times the rate of its place (rates.h), a window weighs executions. An exit costs a few ns: its
 * counter is bumped, and weighed at the end of the window. */
#pragma once

#include "collect/windows/rates.h"
#include "collect/windows/tally.h"
#include "collect/windows/window_reach.h"
#include "wire/channel.h"

#include <stdbool.h>

struct units;
struct weighed_window;

enum {
    VALUE_WEIGHT_MAX = 256,
    RATE_MAX = 16 << RATE_BITS, /* no machine retires more instructions in a TSC tick */
};

/* Good trails, added up. `native`: as the program would have run without copies (wire/plain.h). */
struct trail_sum {
    uint64_t n, instructions, native_ticks;
    uint64_t rates, native_rates; /* sums of their rates */
};

struct weighing {
    const struct units *units;
    struct tally tally;
    struct window_reach reach;
    struct rates rates; /* of timed windows, for those without a trail */
    struct trail_sum trails;
    uint32_t copies_q8; /* `scale_q8` of wire/plain.h */
    struct {
        double executions, instructions, windows;
    } mean;              /* sums over all windows so far */
    uint64_t tsc_hz;     /* 0: not known */
    uint64_t garbled;    /* windows that contradict the units: left out */
    uint64_t miscounted; /* windows whose stated length is not that of their exits */
};

void weighing_init(struct weighing *weighing, const struct units *units);
void weighing_release(struct weighing *weighing);

/* The part of the walk that counts (window_reach.h). Unknown exits are left in: weighing_window
 * finds them. */
struct event_walk weighing_part(struct weighing *weighing, const struct event_walk *whole,
                                const uint32_t *exits);
/* Counts such a part, which stands for so much CPU time, and returns its weights. The tally holds
 * the counts until tally_weigh. False: nothing ran, or no thread can have gone this way. */
bool weighing_window(struct weighing *weighing, const struct event_walk *part,
                     const uint32_t *exits, uint64_t stands_for_ns, struct weighed_window *ret);
/* Different exits in a window, on average. */
uint64_t weighing_variety(const struct weighing *weighing);
/* Tells it to the agent. */
void weighing_tell(const struct weighing *weighing, struct channel *channel);
/* The weight of a window that the agent compressed: only its length is known. */
struct tally_weight weighing_compressed(struct weighing *weighing, const struct event_walk *walk,
                                        uint64_t stands_for_ns);
