/* Events of a thread, counted along its paths in place of ticks (record --metric): what
 * PLAN_TICKS reads.
 *
 * A processor's counter is read in user mode, by rdpmc, as linux/perf_event.h says under
 * perf_event_mmap_page: the kernel tells in a page which counter it is at the moment, and what to
 * add. While it is on no counter, nothing can be known: then the count stays what it was, and a
 * loss is counted. Page faults are the kernel's, asked by getrusage.
 *
 * Code reads counters by itself (walk/emit/event_code.h); faults it leaves to the dispatcher. */
#pragma once

#include "wire/plan.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct context;

enum { EVENT_COUNTER_BITS = 48 }; /* what code can read; all processors with rdpmc have it */

/* False: it is on no counter, or the kernel changes the page all the time. */
bool event_page_read(const volatile struct perf_event_mmap_page *page,
                     uint64_t (*read)(uint32_t counter), uint64_t *ret_count);
/* What PLAN_TICKS counts, now. */
uint64_t event_clock(struct context *context);
/* The dispatcher interrupts the program, and goes on with it: what happens in between is no path's.
 * It stays on for an operation that counts faults, which makes none. */
void event_clock_pause(struct context *context);
void event_clock_go_on(struct context *context);
/* For operations: what it was when the dispatcher interrupted. */
uint64_t event_clock_now(struct context *context);
/* Since then: never less than 0, though another counter may have taken its place. */
static inline uint64_t event_clock_since(uint64_t now, uint64_t then)
{
    return (int64_t)(now - then) < 0 ? 0 : now - then;
}
/* In the thread itself, before its code reads the counter. */
void event_clock_begin(struct context *context);
/* In the child of a fork, which has no events of its own yet; and where the thread ends. */
void event_clock_close(struct context *context);
