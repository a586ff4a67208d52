/* A recorded thread: everything that is its own. What threads share is in process.h.
 *
 * A thread has a slot from when it is first known until its end; the next thread that gets the slot
 * uses its memory again. Its context is mapped at its first sample: most threads of programs that
 * create thousands never meet one. */
#pragma once

#include "agent/base/clock.h"
#include "agent/base/course.h"
#include "agent/base/kernel.h"
#include "agent/base/means.h"
#include "agent/base/python_copy.h"
#include "agent/base/stack_copy.h"
#include "walk/run.h"
#include "wire/channel.h"

/* The current walk, kept so that a fault in the middle can still report its window. */
struct sample_progress {
    struct event_walk event;
    struct sample_parts parts; /* what it is to have */
    bool in_window, in_trail, timing;
    bool suspended; /* until the program has made a system call: agent/sampling/resume.h */
    uint64_t entered_tsc, entered_cpu_ns; /* the handler, for this part of the sample */
    bool counting;                        /* the thread has the process's counters */
    struct course course;
    struct sample_cost cost;
    uint32_t max_exits,
        lead_exits;   /* the most to be recorded; the first of them, which are left out */
    uint32_t summed;  /* exits whose instructions are in the event already */
    uint32_t windows; /* windows of this walk already sent */
    uint64_t walked;  /* instructions up to their end */
    uint64_t guards;  /* guards that the thread passed before this walk */
};

/* A signal that has arrived but cannot be delivered to the program here. */
struct held_signal {
    int32_t signal;        /* 0: none */
    uint64_t mask;         /* of the program, while all signals are blocked because of this one */
    uint64_t handler_mask; /* for its handler, if known */
    struct kernel_sigaction
        action; /* of the program, when the signal came: another thread may change it */
    _Alignas(8) uint8_t siginfo[SIGINFO_BYTES];
};

enum {
    THREAD_SIGNAL_STACK_BYTES = 1 << 16,
    RESUME_PLACES = 4,
    THREAD_ASIDE = 5,   /* signals that can be put aside: agent/exact/exact_aside.h */
    THREAD_PAUSES = 64, /* handlers under way: agent/exact/exact_pause.h */
};

/* A system call that the program makes with the trap flag set: agent/sampling/resume.h */
struct resume_place {
    uint64_t next, after; /* the instruction after the call, and the one after that */
    uint32_t owed;        /* traps that have not come yet: one for each handler that interrupted it,
                             made the same call, and has not returned */
    bool negates;         /* the instruction after the call is neg %eax */
};

/* Where a handler will return to, if it returns: found by its frame. */
struct exact_pause {
    uint64_t frame, pc; /* 0: none */
};

struct thread {
    /* The interrupted state, to which a sample returns. */
    _Alignas(64) struct kernel_ucontext frame;
    _Alignas(64) uint8_t fpstate[FPSTATE_BYTES_MAX];

    _Alignas(64) uint8_t signal_stack[THREAD_SIGNAL_STACK_BYTES]; /* sampling */

    struct stack_copy stack;   /* of the current sample */
    struct python_copy python; /* likewise */

    int32_t tid; /* 0: the slot is free; -1: it is being filled */
    uint32_t slot;
    struct wire_thread *wire;     /* NULL: the process has no channel yet */
    struct context *context;      /* NULL: not needed so far */
    struct thread_stream *stream; /* NULL: windows are not compressed, or there was none so far */
    struct walk walk;
    uint64_t random;
    uint64_t start_cpu_ns;           /* its CPU time when it was adopted */
    const struct channel *counts_in; /* whose counters its context shows; NULL: none */

    int perf_fd;               /* -1: none */
    bool perf_due;             /* it has been armed, and its signal has not come yet */
    int32_t timer;             /* -1: none */
    uint64_t armed_ns;         /* period of the last arming; 0: not known */
    uint64_t period_ns;        /* mean period at that time */
    struct booked_time booked; /* at the last sample of a timer; 0: there was none */
    struct means means;
    struct sample_progress progress;

    bool outside; /* the sample begins where walks are not wanted: wire/only.h */
    /* The alternate stack that the program set; size 0: none; all 0: never set. The kernel has the
     * agent's. */
    struct kernel_altstack altstack;
    uint64_t refused_pc; /* where a sample found no room: agent/signals/shelter.h */
    uint64_t entry_sp;
    uint64_t entry_mask; /* of a handler about to be entered: agent/signals/handover.c */
    bool entry_mask_kept;
    bool trap_really; /* SIGTRAP is blocked for the kernel too: no sample comes meanwhile */
    bool trap_blocked,
        trap_pending; /* SIGTRAP as the program sees it; for the kernel it is not blocked */

    struct {
        bool on;        /* the sample waits until the program has made a system call, at `at` */
        uint32_t times; /* so far in this sample */
        struct resume_place *at;
        struct resume_place places[RESUME_PLACES];
    } resume;

    uint32_t walking;    /* context, %gs and the copied state are in use */
    uint64_t program_gs; /* sampled; exact runs keep it in the context */

    /* exact runs */
    void (*loop)(struct thread *thread); /* the dispatcher; does not return */
    struct held_signal pending; /* delivered by the dispatcher before it enters translated code */
    struct held_signal step;    /* delivered after single steps to an instruction boundary */
    uint32_t aside; /* signals that came too early, as bits (agent/exact/exact_aside.h) */
    _Alignas(8) uint8_t aside_siginfo[THREAD_ASIDE][SIGINFO_BYTES];
    uint8_t *kept_tree; /* across a fork: agent/threads/bank.h */
    uint64_t call_pc;   /* of the current system call */
    struct {
        bool on;       /* one instruction runs natively (exact_step.h) */
        bool traps;    /* the instruction traps by itself, which looks like a step */
        uint32_t exit; /* of the superblock that counted it, or 0 */
        uint64_t mask; /* in force before and after it */
    } stepping;
    /* agent/exact/exact_dispatch.h: as its prctl has them; mode 0: off */
    struct dispatching {
        uint64_t mode, start, bytes, selector;
    } dispatching;
    bool arrived; /* at the place that the next signal interrupts: agent/exact/exact_pause.h */
    struct exact_pause pauses[THREAD_PAUSES];
    bool borrowed; /* the child of a vfork: another process in the same memory, until exec */
};

/* The calling thread, if it is recorded. Costs a system call and a search. */
struct thread *thread_self(void);
/* False: it has ended unnoticed. */
bool thread_lives(const struct thread *thread);
/* Bytes of its context and of what lies behind it. */
uint64_t thread_context_bytes(void);
uint64_t thread_random(struct thread *thread);
