/* What translated code knows of its thread: %gs points here while a walk runs.
 *
 * The first fields are addressed by enter.c's assembly and by emitted code, by constant offset;
 * enter.c asserts them. The large arrays are touched sparsely: mapped without reservation, a thread
 * costs the pages it uses. What all threads share is in tables.h. */
#pragma once

#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flavour { FLAVOUR_PLAIN, FLAVOUR_RECORD, FLAVOUR_COUNT, FLAVOURS };

/* Why translated code came back to the dispatcher. */
enum leave {
    LEAVE_DIRECT,          /* at an exit that is not linked yet, its work done: context.exit */
    LEAVE_INDIRECT,        /* no landing known for context.pc */
    LEAVE_BUDGET,          /* budget used up or records full, at context.exit */
    LEAVE_BUDGET_INDIRECT, /* the same, on the way to context.pc */
    LEAVE_STOP,            /* the next instruction is refused: context.exit */
    LEAVE_SYSCALL,         /* the next instruction is a system call: context.exit */
    LEAVE_SITE,            /* as LEAVE_INDIRECT, at a counted jump or call: context.exit */
    LEAVE_LAZY,   /* at a branch taken for the first time, its work not done: context.exit */
    LEAVE_SIGNAL, /* nothing was executed: context.interrupt is set */
    LEAVE_GUARD,  /* before a guarded superblock, whose number is in context.exit */
    LEAVE_PLAN,   /* an operation is to be carried out: context.exit; then on at context.resume */
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

/* At the clock, by an operation that is carried out. `path`: the register; where a path begins, the
 * clock at another look right before, or 0: there was none. */
struct look {
    uint64_t clock, path, sp;
    uint64_t operation; /* in words from the start of the library */
};

/* A path that came to its end while a burst flows. */
struct flow_look {
    uint64_t path, operation; /* as in struct look */
};

struct context {
    uint64_t gpr[16];
    uint64_t pc, flags;
    uint64_t host_sp;
    uint64_t slot_rcx, slot_r11; /* the program's, while an exit needs the registers */
    uint64_t jump;
    int64_t record_at; /* record: bytes, counts up from -4n to 0, the end of records[] */
    uint32_t exit, leave;
    uint32_t
        interrupt; /* set by a signal handler: do not enter, come back at once (LEAVE_SIGNAL) */
    uint32_t reserved;
    uint64_t
        program_gs; /* exact runs: what the program has in %gs, for copies and for the way out */
    /* Where emitted code goes to leave, one for each enum leave that it can cause. */
    uint64_t to_direct, to_indirect, to_budget, to_budget_indirect, to_stop, to_syscall, to_site,
        to_lazy, to_guard, to_plan, to_step;
    /* Plain: what was executed, each counting up from below zero; a walk ends when one is no longer
     * negative. Each holds instructions << BUDGET_BITS plus the exits that charged them; direct
     * exits charge the first half, indirect ones the second. Many, because adding to one place
     * again and again makes each addition wait for the last: superblocks take turns. */
    int64_t budgets[CONTEXT_BUDGETS];
    /* Record, with a payload (walk/emit/payload.h): bytes of it written so far; and for the code
     * that does. */
    uint64_t payload_at;
    uint64_t slot_r10, slot_rax, slot_rdx;
    uint64_t latency_left, latency_start, latency;
    /* Count, with a plan (wire/plan.h): its register, when it began, and for the code that uses
     * them. */
    uint64_t path, path_began;
    int64_t path_left; /* PLAN_SOME: paths until some are measured (walk/count/passages.h); 0: they
                          are */
    uint64_t path_seed, path_clock; /* likewise: of chance; what a look at the clock takes, by 16 */
    /* Likewise, of passages that are measured and wait for a call to return: the stack pointer of
     * the innermost, PATH_WAITS_NONE if there is none. Code asks `path_back`: the same, or 0 while
     * some are measured, when all that return look at the clock. */
    uint64_t path_waits, path_back;
    uint64_t path_follows; /* one is followed to its end: the looks that it has had, and one */
    uint64_t bursts;       /* that there were */
    int64_t looks_at;      /* bytes, counts up to 0, the end of looks[] */
    struct look looks[CONTEXT_LOOKS];
    /* The burst that lasts, or is next, flows (walk/count/flow.h): bytes, counts up to 0, the end
     * of flow[]; 0: it does not flow. Then its enum flow_phase, passages that are timed, the clock
     * when it was over, ticks of the dispatcher in it; and it is not to be used. */
    int64_t flow_at;
    uint64_t flow_phase, flow_room, flow_ended, flow_paused, flow_spoiled;
    struct flow_look flow[CONTEXT_FLOW];
    uint64_t paused; /* when the dispatcher came between what is measured; 0: it did not */
    uint64_t slot_clock, resume;
    uint64_t left_path;    /* of a count in a node that is left to the dispatcher */
    uint64_t *paths_lost;  /* added to, when a path could not be counted */
    uint64_t *interrupted; /* when what was measured took too long to stand for others */
    /* Calling contexts (walk/count/contexts.h): the current node, since when; what has been called,
     * and from where, that is no function. */
    uint64_t node, node_began;
    uint64_t node_timed, node_ended; /* this stay is measured; when it came to its end */
    uint64_t node_clock;             /* what two looks at the clock take */
    uint64_t node_lost;              /* ticks of this stay that were without a CPU */
    /* When it was last looked how long the thread had no CPU (walk/count/cpu_lost.h), by each
     * clock. */
    uint64_t cpu_tsc, cpu_wall, cpu_ns;
    uint64_t pending_slot, pending;
    uint64_t slot_ticks_rax;
    uint32_t nodes_used, n_nodes;

    _Alignas(4096) uint32_t records[CONTEXT_RECORDS];
    _Alignas(4096) uint8_t stack[CONTEXT_STACK_BYTES];
    _Alignas(4096) uint8_t signal_stack[CONTEXT_SIGNAL_STACK_BYTES];
    /* Exact counts; the agent maps the thread's bank over this. With a plan, the shadow of the
     * stack is behind it. Samples: the payload of a window. */
    _Alignas(4096) uint64_t counters[];
};

/* Above every stack, and its highest byte is 0, as theirs. */
#define PATH_WAITS_NONE (UINT64_C(1) << 54)

/* What plans put by for one word of the stack. */
struct shadow {
    uint64_t path, ticks;
    union {
        uint64_t node;
        uint64_t waits; /* PLAN_SOME, which has no nodes: the next passage that waits, further up */
    };
    uint64_t pending; /* of a signal handler, what it interrupted */
};
enum { CONTEXT_SHADOW_SCALE = sizeof(struct shadow) / 8 };
#define CONTEXT_SHADOW_AT (offsetof(struct context, counters) + CHANNEL_BANK_BYTES)
#define CONTEXT_SHADOW_BYTES ((UINT64_C(1) << 32) * CONTEXT_SHADOW_SCALE + 4096)

static inline struct shadow *context_shadow(struct context *context, uint64_t sp)
{
    return (struct shadow *)(void *)((uint8_t *)context + CONTEXT_SHADOW_AT +
                                     CONTEXT_SHADOW_SCALE * (uint64_t)(uint32_t)sp);
}

/* More of one of its losses, if there is anybody to tell. */
static inline void context_lose(uint64_t *loss, uint64_t more)
{
    if (loss)
        __atomic_fetch_add(loss, more, __ATOMIC_RELAXED);
}

/* Draws which passages and stays are measured. */
static inline uint64_t context_chance(struct context *context)
{
    uint64_t seed = context->path_seed ? context->path_seed : (uint64_t)context >> 12;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return context->path_seed = seed;
}

#define CONTEXT_PAYLOAD_AT offsetof(struct context, counters)
/* However much every exit writes, no test is needed. */
#define CONTEXT_PAYLOAD_BYTES (8u * PAYLOAD_WORDS_MAX * CONTEXT_PAYLOAD_EXITS)

#define CONTEXT_RECORDS_END ((uint32_t)offsetof(struct context, records) + 4u * CONTEXT_RECORDS)

void context_init(struct context *context);
/* Where code goes that leaves by an indirect branch without a landing: the same for every thread.
 */
uint64_t context_leave_indirect(void);
uint64_t context_leave_site(void);

/* Runs translated code at `code` with the program's registers from the context, until it leaves;
 * then registers, pc (where known) and flags are in the context. %gs must point at it. */
void context_enter(struct context *context, uint64_t code);
/* For a signal handler that has set context.interrupt: if the thread was past the test of it but
 * not yet in translated code, where it must go on instead; else pc itself. */
uint64_t context_rewind(uint64_t pc);
/* It is on its way into translated code, past the test. */
bool context_entering(uint64_t pc);
