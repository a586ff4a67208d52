/* A recorded thread: all that is its own. What threads share is in process.h.
 *
 * A thread has a slot from when it is first known until its end; the memory of a slot is used again
 * by the next thread that gets it. Its context is mapped at its first sample: most threads of
 * programs that make thousands never meet one. */
#pragma once

#include "agent/base/kernel.h"
#include "agent/base/means.h"
#include "agent/base/stack_copy.h"
#include "walk/run.h"
#include "wire/channel.h"

/* The walk under way, kept so that a fault in the middle of it can still report its window. */
struct sample_progress {
    struct event_walk event;
    bool in_window, timing;
    struct sample_cost cost;
    uint32_t max_exits, lead_exits; /* recorded at most; the first of them, which are left out */
    uint32_t windows;               /* of this walk that are sent */
    uint64_t walked;                /* instructions up to the end of those */
    uint64_t guards;                /* that the thread met before this walk */
};

/* A signal that has arrived but cannot be handed to the program just here. */
struct held_signal {
    int32_t signal; /* 0: none */
    uint64_t mask;  /* the program's, while all signals are blocked for the sake of this one */
    uint64_t handler_mask;          /* that its handler is to run with, where that is known */
    struct kernel_sigaction action; /* the program's, when it came: another thread may change it */
    _Alignas(8) uint8_t siginfo[SIGINFO_BYTES];
};

enum {
    THREAD_SIGNAL_STACK_BYTES = 1 << 16,
    THREAD_ASIDE = 5, /* signals that can be put aside: agent/exact/exact_aside.h */
};

struct thread {
    /* The state that a sample interrupted, to which it returns. */
    _Alignas(64) struct kernel_ucontext frame;
    _Alignas(64) uint8_t fpstate[FPSTATE_BYTES_MAX];

    _Alignas(64) uint8_t signal_stack[THREAD_SIGNAL_STACK_BYTES]; /* sampling */

    struct stack_copy stack; /* of the sample under way */

    int32_t tid; /* 0: the slot is free; -1: it is being filled */
    uint32_t slot;
    struct wire_thread *wire;     /* NULL: the process has no channel yet */
    struct context *context;      /* NULL: not needed so far */
    struct thread_stream *stream; /* NULL: windows are not compressed, or there was none so far */
    struct walk walk;
    uint64_t random;
    uint64_t start_cpu_ns; /* its own CPU time when it was adopted */

    int perf_fd;        /* -1: none */
    int32_t timer;      /* -1: none */
    uint64_t armed_ns;  /* what it was armed with last; 0: nothing is known */
    uint64_t period_ns; /* mean, when it was armed */
    struct means means;
    struct sample_progress progress;

    bool outside; /* the sample begins where walks are not wanted: wire/only.h */
    /* The alternate stack that the program has set; no size: none; all 0: never has. The kernel has
     * the agent's. */
    struct kernel_altstack altstack;
    uint64_t refused_pc; /* where a sample found no room: agent/signals/shelter.h */
    uint64_t entry_sp;
    uint64_t entry_mask; /* of a handler that is about to be entered: agent/signals/handover.c */
    bool entry_mask_kept;
    bool trap_really; /* it is blocked for the kernel, too: no sample comes meanwhile */
    bool trap_blocked,
        trap_pending; /* SIGTRAP, as the program sees it: for the kernel it never is */

    uint32_t walking;    /* context, %gs and the copied state are in use */
    uint64_t program_gs; /* sampled; in exact runs it is in the context */

    /* exact runs */
    void (*loop)(struct thread *thread); /* the dispatcher; does not return */
    struct held_signal pending; /* for the dispatcher to deliver before it enters translated code */
    struct held_signal
        step;       /* single steps are made until the program is between two instructions */
    uint32_t aside; /* signals that came too early, as bits (agent/exact/exact_aside.h) */
    _Alignas(8) uint8_t aside_siginfo[THREAD_ASIDE][SIGINFO_BYTES];
    uint8_t *kept_tree; /* across a fork: agent/threads/bank.h */
    uint64_t call_pc;   /* of the system call under way */
    struct {
        bool on;       /* one instruction runs natively (exact_step.h) */
        bool traps;    /* by itself, and that looks like a step */
        uint32_t exit; /* of the superblock that counted it, or 0 */
        uint64_t mask; /* in force before and behind it */
    } stepping;
    bool borrowed; /* the child of a vfork: another process in the same memory, until it calls exec
                    */
};

/* The calling thread, if it is recorded. Costs a system call and a search. */
struct thread *thread_self(void);
/* False: it has ended, without a word. */
bool thread_lives(const struct thread *thread);
/* Bytes of its context and of what lies behind it. */
uint64_t thread_context_bytes(void);
uint64_t thread_random(struct thread *thread);
