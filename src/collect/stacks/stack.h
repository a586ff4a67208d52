/* Call stacks of plain samples: from a thread's registers and a copy of the top of its stack to a
 * list of return addresses, over all modules of the process.
 *
 * Each frame is left by the rules of the module that its code is in (program/unwind/unwind.h).
 * Guesses are made only in code that has no rule, each by a named fallback that is counted. A
 * guessed return address must lie behind a call instruction; of several guesses the first that
 * leads on to the outermost frame is taken. Every stack says how it ended. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"
#include "wire/losses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct unwind;

/* Where code of the process comes from. */
struct stack_place {
    struct svma at;
    const struct unwind *unwind; /* NULL: the module has no rules, or is no file, as a JIT's code */
    const struct image *image; /* may be NULL: then what lies before an address is not looked at */
};

/* The process as it was at the sample. */
struct stack_space {
    /* False: no executable mapping is there. */
    bool (*place)(void *closure, struct avma at, struct stack_place *ret_place);
    /* Memory outside of the copied stack, if there is a way to know it; may be NULL. */
    bool (*read)(void *closure, struct avma at, uint64_t *ret_value);
    void *closure;
};

/* What perf_event_attr.sample_regs_user must ask for: every general register, and ip. */
#define STACK_REGISTERS_MASK 0xFF01FFull

/* As PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER have it. */
struct stack_sample {
    uint64_t mask;             /* sample_regs_user; sp and ip must be in it */
    const uint64_t *registers; /* one a bit of the mask, lowest first */
    const uint8_t *bytes;      /* from sp upwards */
    size_t n_bytes;            /* as many as the kernel copied (dyn_size) */
};

enum stack_how {
    STACK_SAMPLED,     /* the innermost: the instruction that runs next */
    STACK_CALLED,      /* pc is a return address: the call ends there */
    STACK_INTERRUPTED, /* a signal came: the instruction that runs next */
};

struct stack_frame {
    struct avma pc;
    enum stack_how how;
    struct avma sp; /* the frame's rsp */
};

/* An address inside the instruction that the frame is at: what symbols and lines are asked for. */
static inline struct avma stack_frame_inside(const struct stack_frame *frame)
{
    return (struct avma){frame->pc.v - (frame->how == STACK_CALLED)};
}

/* X(name, text): how stacks end. Only the first is a whole stack. */
#define STACK_ENDS(X)                                                                              \
    X(OUTERMOST, "reached the start of its thread")                                                \
    X(TRUNCATED, "went on beyond the copied part of the stack")                                    \
    X(LIMIT, "had more frames than are kept")                                                      \
    X(NO_RULE, "came to code without unwind information")                                          \
    X(UNMAPPED, "came to an address where no code is known")                                       \
    X(BAD, "came to unwind information that leads nowhere")                                        \
    X(GONE, "could not be copied: the process was ending or becoming another program")

/* X(name, text): guesses. A stack may need several. */
#define STACK_FALLBACKS(X)                                                                         \
    X(CODE, "left a function without unwind information by reading its code")                      \
    X(FRAME_POINTER, "followed a frame pointer")                                                   \
    X(ALIGNED_FRAME, "followed a frame pointer to where an aligned frame keeps the unaligned one") \
    X(LEAF, "took what rsp points to for the return address")                                      \
    X(ENTRY, "took a program's first instructions for the outermost frame")                        \
    X(ZERO_FRAME_POINTER, "took a frame pointer of zero for the outermost frame")                  \
    X(PAST, "continued a truncated stack like the last whole one of its thread")

enum stack_end {
#define X(name, text) STACK_##name,
    STACK_ENDS(X)
#undef X
        STACK_N_ENDS
};
enum stack_fallback {
#define X(name, text) STACK_BY_##name,
    STACK_FALLBACKS(X)
#undef X
        STACK_N_FALLBACKS
};

extern const char *const stack_end_text[STACK_N_ENDS];
/* What is lost by it; of the first, nothing. */
extern const enum loss stack_end_loss[STACK_N_ENDS];
extern const char *const stack_fallback_text[STACK_N_FALLBACKS];

enum { STACK_FRAMES_MAX = 2048 };

/* Reused from sample to sample; starts as {0}. */
struct stack {
    VEC(struct stack_frame); /* innermost first */
    enum stack_end end;
    uint32_t fallbacks[STACK_N_FALLBACKS]; /* how often each was used in this stack */
};

void stack_walk(struct stack *stack, const struct stack_space *space,
                const struct stack_sample *sample);
/* A last frame where no code is: it was no return address, or that of a program that is gone. */
void stack_drop_unmapped(struct stack *stack, const struct stack_space *space);
void stack_release(struct stack *stack);
