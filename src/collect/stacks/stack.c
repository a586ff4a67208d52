#include "collect/stacks/stack.h"

#include "collect/stacks/stack_guess.h"
#include "collect/stacks/stack_landing.h"
#include "program/unwind/unwind.h"

#include <asm/perf_regs.h>

const char *const stack_end_text[STACK_N_ENDS] = {
#define X(name, text) text,
    STACK_ENDS(X)
#undef X
};
const char *const stack_fallback_text[STACK_N_FALLBACKS] = {
#define X(name, text) text,
    STACK_FALLBACKS(X)
#undef X
};

const enum loss stack_end_loss[STACK_N_ENDS] = {
    [STACK_OUTERMOST] = LOSS_N,           [STACK_TRUNCATED] = LOSS_stack_truncated,
    [STACK_LIMIT] = LOSS_stack_truncated, [STACK_NO_RULE] = LOSS_stack_no_rule,
    [STACK_UNMAPPED] = LOSS_stack_astray, [STACK_BAD] = LOSS_stack_astray,
    [STACK_GONE] = LOSS_stack_gone,
};

/* DWARF's order, as perf numbers them. */
static const uint8_t perf_register[UNWIND_REGISTERS] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};

static bool frame_start(struct unwind_frame *frame, const struct stack_sample *sample)
{
    *frame = (struct unwind_frame){.interrupted = true};
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
        uint64_t bit = (uint64_t)1 << perf_register[i];
        if (!(sample->mask & bit))
            continue;
        frame->value[i] = sample->registers[__builtin_popcountll(sample->mask & (bit - 1))];
        frame->known |= 1u << i;
    }
    uint32_t needed = 1u << UNWIND_RIP | 1u << UNWIND_RSP;
    return (frame->known & needed) == needed;
}

static void stack_push(struct stack *stack, const struct unwind_frame *frame)
{
    enum stack_how how = !stack->n            ? STACK_SAMPLED
                         : frame->interrupted ? STACK_INTERRUPTED
                                              : STACK_CALLED;
    *vec_push(stack) =
        (struct stack_frame){{frame->value[UNWIND_RIP]}, how, {frame->value[UNWIND_RSP]}};
}

static void fallbacks_clear(struct stack *stack)
{
    for (size_t i = 0; i < STACK_N_FALLBACKS; i++)
        stack->fallbacks[i] = 0;
}

/* Behind a guess a return address of zero proves the guess wrong: zeros are what stacks have most.
 */
static enum stack_end end_of(const struct stack *stack, enum unwind_step step, bool mapped)
{
    bool guessed = false;
    for (size_t i = 0; i < STACK_N_FALLBACKS; i++)
        guessed = guessed || stack->fallbacks[i];
    switch (step) {
    case UNWIND_ZERO: return guessed ? STACK_BAD : STACK_OUTERMOST;
    case UNWIND_DONE: return STACK_OUTERMOST;
    case UNWIND_NO_MEMORY: return STACK_TRUNCATED;
    case UNWIND_NO_RULE: return mapped ? STACK_NO_RULE : STACK_UNMAPPED;
    default: return STACK_BAD;
    }
}

struct walk {
    const struct stack_space *space;
    struct unwind_memory memory;
    struct stack *stack;
};

/* Outwards by rules alone, until there is none. */
static void walk_by_rules(struct walk *walk, struct unwind_frame *frame)
{
    enum { THROWING = 2 }; /* frames: what throws ends with a call that does nothing */
    struct stack *stack = walk->stack;
    for (;;) {
        if (stack->n == STACK_FRAMES_MAX) {
            stack->end = STACK_LIMIT;
            return;
        }
        stack_push(stack, frame);
        struct stack_place place = {0};
        struct avma inside = stack_frame_inside(&stack->at[stack->n - 1]);
        bool mapped = walk->space->place(walk->space->closure, inside, &place);
        struct unwind_frame before = *frame;
        enum unwind_step step = mapped && place.unwind
                                    ? unwind_step(place.unwind, place.at, frame, &walk->memory)
                                    : UNWIND_NO_RULE;
        if (step != UNWIND_CALLER) {
            stack->end = end_of(stack, step, mapped);
            if (step == UNWIND_NO_RULE && mapped && stack_guess_entry(&place)) {
                stack->fallbacks[STACK_BY_ENTRY]++;
                stack->end = STACK_OUTERMOST;
            }
            return;
        }
        if (stack->n <= THROWING)
            stack_landing(&place, &before, &walk->memory, frame);
    }
}

/* The leaf comes before the frame pointer: where the innermost function has no frame yet, rbp is
 * its caller's and would lose that caller. */
static const enum stack_fallback order[] = {STACK_BY_CODE, STACK_BY_LEAF, STACK_BY_FRAME_POINTER,
                                            STACK_BY_ALIGNED_FRAME, STACK_BY_TRAMPOLINE};
enum { N_ORDER = sizeof order / sizeof *order };

static bool is_stuck(const struct stack *stack)
{
    return stack->end == STACK_NO_RULE || stack->end == STACK_UNMAPPED;
}

/* Outwards, with whatever guess fits first where there is no rule. */
static void walk_by_first_guess(struct walk *walk, struct unwind_frame *frame)
{
    struct stack *stack = walk->stack;
    for (walk_by_rules(walk, frame); is_stuck(stack); walk_by_rules(walk, frame)) {
        bool innermost = stack->n == 1;
        size_t i = 0;
        while (i < N_ORDER && !stack_guess(order[i], walk->space, frame, &walk->memory, innermost))
            i++;
        if (i < N_ORDER) {
            stack->fallbacks[order[i]]++;
            continue;
        }
        if (stack_guess_outermost(frame, innermost)) {
            stack->fallbacks[STACK_BY_ZERO_FRAME_POINTER]++;
            stack->end = STACK_OUTERMOST;
        }
        return;
    }
}

/* As far as rules lead; there each guess is followed to its end, and the first that gets to the
 * outermost frame is kept, or else the first of all. Guesses that come behind a guess are not tried
 * against each other: that would take time without bound. */
static void walk_by_best_guess(struct walk *walk, struct unwind_frame *frame)
{
    struct stack *stack = walk->stack;
    walk_by_rules(walk, frame);
    if (!is_stuck(stack))
        return;
    size_t n = stack->n;
    enum stack_end end = stack->end;
    for (size_t i = 0; i < N_ORDER; i++) {
        struct unwind_frame tried = *frame;
        if (!stack_guess(order[i], walk->space, &tried, &walk->memory, n == 1))
            continue;
        stack->fallbacks[order[i]]++;
        walk_by_first_guess(walk, &tried);
        if (stack->end == STACK_OUTERMOST)
            return;
        stack->n = n;
        stack->end = end;
        fallbacks_clear(stack);
    }
    stack->n = n - 1; /* the frame is pushed again */
    walk_by_first_guess(walk, frame);
}

void stack_walk(struct stack *stack, const struct stack_space *space,
                const struct stack_sample *sample)
{
    struct unwind_frame frame;
    stack->n = 0;
    stack->end = STACK_BAD;
    fallbacks_clear(stack);
    if (!frame_start(&frame, sample))
        return;
    struct walk walk = {.space = space,
                        .stack = stack,
                        .memory = {.bytes = sample->bytes,
                                   .n = sample->n_bytes,
                                   .start = {frame.value[UNWIND_RSP]},
                                   .read = space->read,
                                   .closure = space->closure}};
    walk_by_best_guess(&walk, &frame);
    if (!sample->n_bytes && stack->end != STACK_OUTERMOST)
        stack->end = STACK_GONE;
}

void stack_drop_unmapped(struct stack *stack, const struct stack_space *space)
{
    struct stack_place ignored;
    if ((stack->end == STACK_UNMAPPED && stack->n > 1) ||
        (stack->end == STACK_GONE && !space->place(space->closure, stack->at[0].pc, &ignored)))
        stack->n--;
}

void stack_release(struct stack *stack)
{
    vec_release(stack);
    *stack = (struct stack){0};
}
