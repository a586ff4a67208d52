/* Finds work that had no effect in what a thread executed: windows, or the passages of a trace,
 * with addresses and values (wire/payload.h).
 *
 * A thread's instructions go one by one through registers and memory as they made them
 * (waste_memory.h, waste_registers.h), and through the calls that they are part of (waste_calls.h).
 * A finding needs both ends: what a window or a barrier leaves open is no finding. Barriers are
 * system calls (the kernel may read and write memory), code that cannot be read, gaps, and
 * instructions whose memory is not known exactly. */
#pragma once

#include "values/payloads.h"
#include "waste/waste_blocks.h"
#include "waste/waste_calls.h"
#include "waste/waste_memory.h"
#include "waste/waste_pages.h"
#include "waste/waste_registers.h"

enum { WASTE_ACCESSES = 3 };

struct waste_thread {
    struct waste_blocks *blocks;
    struct waste_listener *listener;
    bool shared;               /* other threads may read memory that is not this one's stack */
    struct waste_pages *pages; /* which of it only this one touches; NULL: not known */
    uint64_t position;
    struct waste_events events; /* of stores and loads */
    struct waste_memory memory;
    struct waste_registers registers;
    uint64_t stack_low, stack_high; /* of its own frames so far; 0: not known */
    struct waste_calls calls;       /* that have not returned yet */
    uint64_t next;                  /* avma where it goes on; 0: not known */
    uint64_t barriers;              /* so far */
    uint64_t unread;                /* superblocks whose code could not be read */
};

void waste_thread_init(struct waste_thread *thread, struct waste_blocks *blocks,
                       struct waste_listener *listener);
void waste_thread_release(struct waste_thread *thread);
/* What comes next does not follow what came before. */
void waste_thread_gap(struct waste_thread *thread);
/* The words must be those of the exits (payloads_words). */
void waste_thread_run(struct waste_thread *thread, const struct payload_window *window);
