/* Call stacks of samples: from a thread's registers and a copy of the top of its stack to a list of
 * return addresses, over all modules of the process.
 *
 * Each frame is unwound by the rules of its module (program/unwind/unwind.h). Code without rules is
 * unwound by named guesses, which are counted. A guessed return address must follow a call
 * instruction. Of several guesses the first that reaches the outermost frame is taken. Every stack
 * says how it ended. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"
#include "wire/losses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct python_frame;
struct unwind;

/* The module of an address. */
struct stack_place {
    struct svma at;
    const struct unwind *unwind; /* NULL: no rules, or no file, as for JIT code */
    const struct image
        *image; /* may be NULL: then return addresses are not checked for a call before them */
};

/* The process as it was at the sample. */
struct stack_space {
    /* False: no executable mapping. */
    bool (*place)(void *closure, struct avma at, struct stack_place *ret_place);
    /* Memory outside the copied stack, if it is known; may be NULL. */
    bool (*read)(void *closure, struct avma at, uint64_t *ret_value);
    void *closure;
};

/* Value for perf_event_attr.sample_regs_user: every general register, and ip. */
#define STACK_REGISTERS_MASK 0xFF01FFull

/* As in PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER. */
struct stack_sample {
    uint64_t mask;                     /* sample_regs_user; sp and ip must be in it */
    const uint64_t *registers;         /* one for each bit of the mask, lowest first */
    const uint8_t *bytes;              /* from sp upwards */
    size_t n_bytes;                    /* as the kernel copied (dyn_size) */
    const struct python_frame *python; /* innermost first */
    size_t n_python;
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

/* An address inside the frame's current instruction: for symbols and lines. */
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
    X(TRAMPOLINE, "left a trampoline of python -X perf by the frame that all of them have")        \
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
/* The loss that it is; none for the first. */
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
/* Drops a last frame outside all code: it was no return address, or one of an earlier program. */
void stack_drop_unmapped(struct stack *stack, const struct stack_space *space);
void stack_release(struct stack *stack);
