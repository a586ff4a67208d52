#include "collect/stack.h"

#include "collect/stack_guess.h"
#include "program/unwind.h"

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
    *vec_push(stack) = (struct stack_frame){{frame->value[UNWIND_RIP]}, how};
}

static enum stack_end end_of(enum unwind_step step, bool mapped)
{
    switch (step) {
    case UNWIND_DONE: return STACK_OUTERMOST;
    case UNWIND_NO_MEMORY: return STACK_TRUNCATED;
    case UNWIND_NO_RULE: return mapped ? STACK_NO_RULE : STACK_UNMAPPED;
    default: return STACK_BAD;
    }
}

/* One frame outwards; false: stack->end says why not. */
static bool stack_leave(struct stack *stack, const struct stack_space *space,
                        struct unwind_frame *frame, const struct unwind_memory *memory)
{
    struct stack_place place = {0};
    struct avma inside = stack_frame_inside(&stack->at[stack->n - 1]);
    bool mapped = space->place(space->closure, inside, &place);
    enum unwind_step step = mapped && place.unwind
                                ? unwind_step(place.unwind, place.at, frame, memory)
                                : UNWIND_NO_RULE;
    if (step == UNWIND_CALLER)
        return true;
    stack->end = end_of(step, mapped);
    if (step != UNWIND_NO_RULE)
        return false;
    enum stack_fallback fallback = STACK_BY_LEAF;
    switch (stack_guess(space, frame, memory, stack->n == 1, &fallback)) {
    case STACK_GUESSED: stack->fallbacks[fallback]++; return true;
    case STACK_GUESSED_OUTERMOST:
        stack->fallbacks[fallback]++;
        stack->end = STACK_OUTERMOST;
        return false;
    default: return false;
    }
}

void stack_walk(struct stack *stack, const struct stack_space *space,
                const struct stack_sample *sample)
{
    struct unwind_frame frame;
    stack->n = 0;
    stack->end = STACK_BAD;
    for (size_t i = 0; i < STACK_N_FALLBACKS; i++)
        stack->fallbacks[i] = 0;
    if (!frame_start(&frame, sample))
        return;
    struct unwind_memory memory = {.bytes = sample->bytes,
                                   .n = sample->n_bytes,
                                   .start = {frame.value[UNWIND_RSP]},
                                   .read = space->read,
                                   .closure = space->closure};
    do {
        if (stack->n == STACK_FRAMES_MAX) {
            stack->end = STACK_LIMIT;
            return;
        }
        stack_push(stack, &frame);
    } while (stack_leave(stack, space, &frame, &memory));
}

void stack_release(struct stack *stack)
{
    vec_release(stack);
    *stack = (struct stack){0};
}
