#include "collect/stacks/stack_past.h"

#include <string.h>

/* Stacks of threads that have ended are replaced only by threads at the same place. */
enum { THREADS_MAX = 1024 };

struct past_stack {
    struct avma begin; /* rsp of its outermost frame: the highest */
    VEC(struct stack_frame);
};

static void past_clear(struct stack_past *past)
{
    for (size_t i = 0; i < past->n; i++)
        vec_release(&past->at[i]);
    past->n = 0;
}

void stack_past_release(struct stack_past *past)
{
    past_clear(past);
    vec_release(past);
}

/* The first that begins there or higher. */
static size_t past_find(const struct stack_past *past, struct avma at)
{
    size_t low = 0, high = past->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (past->at[middle].begin.v < at.v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void past_learn(struct stack_past *past, const struct stack *stack)
{
    struct avma begin = stack->at[stack->n - 1].sp;
    size_t i = past_find(past, begin);
    if (i == past->n || past->at[i].begin.v != begin.v) {
        if (past->n == THREADS_MAX) {
            past_clear(past);
            i = 0;
        }
        (void)vec_push(past);
        memmove(past->at + i + 1, past->at + i, (past->n - 1 - i) * sizeof *past->at);
        past->at[i] = (struct past_stack){.begin = begin};
    }
    struct past_stack *known = &past->at[i];
    vec_reserve(known, stack->n);
    memcpy(known->at, stack->at, stack->n * sizeof *stack->at);
    known->n = stack->n;
}

static size_t past_frame(const struct past_stack *known, const struct stack_frame *frame)
{
    size_t i = 0;
    while (i < known->n && (known->at[i].sp.v != frame->sp.v || known->at[i].pc.v != frame->pc.v ||
                            known->at[i].how != frame->how))
        i++;
    return i;
}

size_t stack_past_common(const struct stack_past *past, const struct stack *stack)
{
    size_t i = 1; /* the innermost has called nobody, and is nowhere for long */
    size_t thread = stack->n ? past_find(past, stack->at[stack->n - 1].sp) : past->n;
    if (thread == past->n)
        return stack->n;
    while (i < stack->n && past_frame(&past->at[thread], &stack->at[i]) == past->at[thread].n)
        i++;
    return i < stack->n ? i : stack->n;
}

static void past_continue(const struct stack_past *past, struct stack *stack)
{
    struct stack_frame last = stack->at[stack->n - 1];
    size_t thread = past_find(past, last.sp);
    if (last.how == STACK_SAMPLED || thread == past->n)
        return;
    const struct past_stack *known = &past->at[thread];
    size_t i = past_frame(known, &last);
    if (i == known->n || stack->n + (known->n - 1 - i) > STACK_FRAMES_MAX)
        return;
    while (++i < known->n)
        *vec_push(stack) = known->at[i];
    stack->fallbacks[STACK_BY_PAST]++;
    stack->end = STACK_OUTERMOST;
}

void stack_past_apply(struct stack_past *past, struct stack *stack)
{
    if (stack->end == STACK_TRUNCATED)
        past_continue(past, stack);
    if (stack->end == STACK_OUTERMOST)
        past_learn(past, stack);
}
