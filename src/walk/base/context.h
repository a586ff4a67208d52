/* What translated code knows of its thread: %gs points here while a walk runs.
 *
 * enter.c's assembly and emitted code address the first fields by constant offset; enter.c asserts
 * them. The large arrays are sparse: mapped without reservation, a thread costs the pages it uses.
 * What all threads share is in emit/tables.h. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flavour { FLAVOUR_PLAIN, FLAVOUR_RECORD, FLAVOUR_COUNT, FLAVOURS };

/* Why translated code returned to the dispatcher. */
enum leave {
    LEAVE_DIRECT,          /* at an exit that is not linked yet, its work done: context.exit */
    LEAVE_INDIRECT,        /* no landing for context.pc */
    LEAVE_BUDGET,          /* budget used up or records full, at context.exit */
    LEAVE_BUDGET_INDIRECT, /* the same, on the way to context.pc */
    LEAVE_STOP,            /* the next instruction is refused: context.exit */
    LEAVE_SYSCALL,         /* the next instruction is a system call: context.exit */
    LEAVE_SITE,            /* as LEAVE_INDIRECT, at a counted jump or call: context.exit */
    LEAVE_LAZY,   /* at a branch taken for the first time, its work not done: context.exit */
    LEAVE_SIGNAL, /* nothing was executed: context.interrupt is set */
    LEAVE_GUARD,  /* before a guarded superblock; its number is in context.exit */
    LEAVE_PLAN,   /* an operation is left to the dispatcher: context.exit; then on at context.resume
                   */
    LEAVE_STEP,   /* the next instruction has no copy (shape.stepped): context.exit */
};

enum {
    CONTEXT_BUDGETS = 16,
    BUDGET_BITS = 20,
    CONTEXT_RECORDS = 1 << 16,       /* exits one window can hold */
    CONTEXT_PAYLOAD_EXITS = 1 << 14, /* the same, with a payload */
    CONTEXT_LOOKS = 64,
    CONTEXT_FLOW = 256,
    CONTEXT_STACK_BYTES = 1 << 18,
    CONTEXT_SIGNAL_STACK_BYTES = 1 << 17, /* exact runs: where signals are taken */
};

/* x86 register numbers, as in encodings. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* One clock read of an operation. `path`: the register; where a path begins: the clock at a read
 * right before, or 0 if there was none. */
struct look {
    uint64_t clock, path, sp;
    uint64_t operation; /* in words from the start of the library */
};

/* A path that ended while a burst flows. */
struct flow_look {
    uint64_t path, operation; /* as in struct look */
};

struct context {
    uint64_t gpr[16];
    uint64_t pc, flags;
    uint64_t host_sp;
    uint64_t slot_rcx; /* of the program, while an exit needs the register */
    /* Where copies may be left it is the program's %r11: code that writes the register stores it
     * here, too (x86/writes_r11.h). So exits and landings, which need the register, need not save
     * it. If each did, the value would go from load to store to load at every indirect branch. */
    uint64_t slot_r11;
    uint64_t jump;
    int64_t record_at; /* record: bytes, counts up from -4n to 0, the end of records[] */
    uint32_t exit, leave;
    uint32_t interrupt; /* set by a signal handler: do not enter, return at once (LEAVE_SIGNAL) */
    uint32_t reserved;
    uint64_t program_gs; /* exact runs: the program's %gs, for copies and for the way out */
    /* Where emitted code jumps to leave, one for each enum leave that it can cause. */
    uint64_t to_direct, to_indirect, to_budget, to_budget_indirect, to_stop, to_syscall, to_site,
        to_lazy, to_guard, to_plan, to_step;
    /* Plain: what was executed. Each counts up from below zero; a walk ends when one is no longer
     * negative. Each holds instructions << BUDGET_BITS plus the number of exits that charged them.
     * Direct exits charge the first half of the array, indirect ones the second. There are many,
     * because repeated additions to one place wait for each other: superblocks take turns. */
    int64_t budgets[CONTEXT_BUDGETS];
    /* Record, with a payload (walk/emit/payload.h): bytes written so far; then scratch of the code
     * that writes it. */
    uint64_t payload_at;
    uint64_t slot_r10, slot_rax, slot_rdx;
    uint64_t latency_left, latency_start, latency;
    /* Count, with a plan (wire/plan.h): its register, when the path began, and scratch. */
    uint64_t path, path_began;
    int64_t path_left; /* PLAN_SOME: paths until the next burst (walk/count/passages.h); 0: in a
                          burst */
    uint64_t path_seed, path_clock; /* PLAN_SOME: random state; cost of a clock read, times 16 */
    /* PLAN_SOME: the stack pointer of the innermost measured passage that waits for a call to
     * return; PATH_WAITS_NONE: none. Code compares `path_back`: the same, or 0 during a burst, when
     * every return reads the clock. */
    uint64_t path_waits, path_back;
    uint64_t path_follows; /* one is followed to its end: its clock reads so far, plus one */
    uint64_t bursts;       /* bursts so far */
    int64_t looks_at;      /* bytes, counts up to 0, the end of looks[] */
    struct look looks[CONTEXT_LOOKS];
    /* The current or next burst flows (walk/count/flow.h): bytes, counts up to 0, the end of
     * flow[]; 0: it does not flow. Then: enum flow_phase, passages that are timed, the clock at its
     * end, the dispatcher's ticks in it, and whether it is unusable. */
    int64_t flow_at;
    uint64_t flow_phase, flow_room, flow_ended, flow_paused, flow_spoiled;
    struct flow_look flow[CONTEXT_FLOW];
    uint64_t paused; /* when the dispatcher interrupted a measurement; 0: it did not */
    uint64_t slot_clock, resume;
    uint64_t left_path;   /* of a count in a node that was left to the dispatcher */
    uint64_t *paths_lost; /* incremented when a path could not be counted */
    uint64_t
        *interrupted; /* incremented when a measured passage was too long to stand for others */
    /* Calling contexts (walk/count/contexts.h): the current node, and since when; then what was
     * called, and from where, that is no function. */
    uint64_t node, node_began;
    uint64_t node_timed, node_ended; /* this stay is measured; when it ended */
    uint64_t node_clock;             /* cost of two clock reads */
    uint64_t node_lost;              /* ticks of this stay in which the thread had no CPU */
    /* The last check of how long the thread had no CPU (walk/count/cpu_lost.h), by each clock. */
    uint64_t cpu_tsc, cpu_wall, cpu_ns;
    uint64_t pending_slot, pending;
    uint64_t slot_ticks_rax;
    uint32_t nodes_used, n_nodes;
    /* What PLAN_TICKS counts (walk/count/event_clock.h): its kind; of a perf event the kernel's
     * page, how to get one, whether that was refused, and the last count. */
    uint32_t event_kind, event_refused, event_pausing;
    uint64_t event_paused; /* the count when the dispatcher interrupted */
    const void *event_page;
    const void *(*event_open)(void); /* NULL: there is none */
    uint64_t event_count;
    uint64_t slot_event_rcx, slot_event_lock, slot_event_offset;
    uint64_t *events_lost; /* incremented when it could not be read */

    _Alignas(4096) uint32_t records[CONTEXT_RECORDS];
    _Alignas(4096) uint8_t stack[CONTEXT_STACK_BYTES];
    _Alignas(4096) uint8_t signal_stack[CONTEXT_SIGNAL_STACK_BYTES];
    /* Exact counts; the agent maps the thread's bank here. With a plan, the shadow of the stack
     * follows. Samples: the process's counters, while the thread counts; then the payload of a
     * window. */
    _Alignas(4096) uint64_t counters[];
};

/* Above every stack; its highest byte is 0, as theirs. */
#define PATH_WAITS_NONE (UINT64_C(1) << 54)

/* What plans save for one word of the stack. */
struct shadow {
    uint64_t path, ticks;
    union {
        uint64_t node;
        uint64_t waits; /* PLAN_SOME, which has no nodes: the next waiting passage further up */
    };
    uint64_t pending; /* of a signal handler: what it interrupted */
};
enum { CONTEXT_SHADOW_SCALE = sizeof(struct shadow) / 8 };
#define CONTEXT_SHADOW_AT (offsetof(struct context, counters) + CHANNEL_BANK_BYTES)
#define CONTEXT_SHADOW_BYTES ((UINT64_C(1) << 32) * CONTEXT_SHADOW_SCALE + 4096)

static inline struct shadow *context_shadow(struct context *context, uint64_t sp)
{
    return (struct shadow *)(void *)((uint8_t *)context + CONTEXT_SHADOW_AT +
                                     CONTEXT_SHADOW_SCALE * (uint64_t)(uint32_t)sp);
}

/* Adds to a loss, if there is a channel. */
static inline void context_lose(uint64_t *loss, uint64_t more)
{
    if (loss)
        __atomic_fetch_add(loss, more, __ATOMIC_RELAXED);
}

/* A random number: which passages and stays are measured. */
static inline uint64_t context_chance(struct context *context)
{
    uint64_t seed = context->path_seed ? context->path_seed : (uint64_t)context >> 12;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return context->path_seed = seed;
}

#define CONTEXT_PAYLOAD_AT offsetof(struct context, counters)
/* Samples: what context.payload_at begins with: counters come first. */
#define CONTEXT_SAMPLED_AT ((uint64_t)CHANNEL_COUNTERS_BYTES)
/* Large enough for every exit to write its maximum: no test is needed. */
#define CONTEXT_PAYLOAD_BYTES (8u * PAYLOAD_WORDS_MAX * CONTEXT_PAYLOAD_EXITS)

#define CONTEXT_RECORDS_END ((uint32_t)offsetof(struct context, records) + 4u * CONTEXT_RECORDS)

/* Samples: the counters of plain code. */
static inline uint32_t *context_tallies(struct context *context)
{
    return (uint32_t *)(void *)context->counters;
}

/* Samples: the payload of a window. */
static inline const uint64_t *context_words(const struct context *context)
{
    return context->counters + CONTEXT_SAMPLED_AT / sizeof(uint64_t);
}

void context_init(struct context *context);
/* Where an indirect branch without a landing goes: the same for every thread. */
uint64_t context_leave_indirect(void);
uint64_t context_leave_site(void);

/* Runs translated code at `code` with the program's registers from the context until it leaves;
 * then registers, pc (if known) and flags are in the context. %gs must point to it. */
void context_enter(struct context *context, uint64_t code);
/* For a signal handler that has set context.interrupt: if the thread was past the test of it but
 * not yet in translated code, the pc where it must continue instead; else pc itself. */
uint64_t context_rewind(uint64_t pc);
/* True if pc is between the test and translated code. */
bool context_entering(uint64_t pc);
