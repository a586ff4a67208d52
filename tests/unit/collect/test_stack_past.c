#include "collect/stacks/stack_past.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Frames are numbered from the innermost; the frame `depth` from the outermost one of a thread lies
 * 0x100 lower than its caller. */
enum { BEGIN = 0x70000 };

static void frame_push(struct stack *stack, uint64_t begin, uint64_t depth, uint64_t pc)
{
    enum stack_how how = stack->n ? STACK_CALLED : STACK_SAMPLED;
    *vec_push(stack) = (struct stack_frame){{pc}, how, {begin - depth * 0x100}};
}

/* `pc + depth` at each depth from `inner` to `outer`. */
static void stack_make(struct stack *stack, enum stack_end end, uint64_t begin, uint64_t pc,
                       uint64_t inner, uint64_t outer)
{
    stack->n = 0;
    stack->end = end;
    stack->fallbacks[STACK_BY_PAST] = 0;
    for (uint64_t depth = inner; depth + 1 > outer; depth--)
        frame_push(stack, begin, depth, pc + depth);
}

static void expect(const struct stack *stack, enum stack_end end, size_t n, uint32_t guesses)
{
    assert_int_equal(stack->end, end);
    assert_int_equal(stack->n, n);
    assert_int_equal(stack->fallbacks[STACK_BY_PAST], guesses);
}

static void continued(void **state)
{
    (void)state;
    struct stack_past past = {0};
    struct stack stack = {0};
    stack_make(&stack, STACK_OUTERMOST, BEGIN, 0x1000, 5, 0);
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_OUTERMOST, 6, 0);
    /* Deeper, cut at the third frame. */
    stack_make(&stack, STACK_TRUNCATED, BEGIN, 0x1000, 9, 3);
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_OUTERMOST, 10, 1);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(stack.at[i].pc.v, 0x1000 + 9 - i);
    /* Deeper still, cut where only the continued one has been. */
    stack_make(&stack, STACK_TRUNCATED, BEGIN, 0x1000, 14, 8);
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_OUTERMOST, 15, 1);
    stack_past_release(&past);
    stack_release(&stack);
}

static void not_continued(void **state)
{
    (void)state;
    struct stack_past past = {0};
    struct stack stack = {0};
    stack_make(&stack, STACK_TRUNCATED, BEGIN, 0x1000, 9, 3);
    stack_past_apply(&past, &stack); /* nothing is known */
    expect(&stack, STACK_TRUNCATED, 7, 0);
    stack_make(&stack, STACK_OUTERMOST, BEGIN, 0x1000, 5, 0);
    stack_past_apply(&past, &stack);
    stack_make(&stack, STACK_TRUNCATED, BEGIN, 0x2000, 9, 3); /* another function there */
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_TRUNCATED, 7, 0);
    stack_make(&stack, STACK_TRUNCATED, BEGIN + 8, 0x1000, 9, 3); /* the same one elsewhere */
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_TRUNCATED, 7, 0);
    stack_make(&stack, STACK_NO_RULE, BEGIN, 0x1000, 9, 3);
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_NO_RULE, 7, 0);
    /* The thread has been elsewhere since. */
    stack_make(&stack, STACK_OUTERMOST, BEGIN, 0x1000, 1, 0);
    stack_past_apply(&past, &stack);
    stack_make(&stack, STACK_TRUNCATED, BEGIN, 0x1000, 9, 3);
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_TRUNCATED, 7, 0);
    stack_past_release(&past);
    stack_release(&stack);
}

/* More threads than are remembered, in any order, each continued like itself. */
static void threads(void **state)
{
    (void)state;
    struct stack_past past = {0};
    struct stack stack = {0};
    for (uint64_t round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 900; i++) {
            uint64_t thread = i * 7919 % 900 + round * 450, begin = BEGIN + thread * 0x10000;
            stack_make(&stack, STACK_OUTERMOST, begin, thread << 20, 5, 0);
            stack_past_apply(&past, &stack);
            stack_make(&stack, STACK_TRUNCATED, begin, thread << 20, 9, 3);
            stack_past_apply(&past, &stack);
            expect(&stack, STACK_OUTERMOST, 10, 1);
            assert_int_equal(stack.at[9].pc.v, thread << 20);
        }
    stack_past_release(&past);
    stack_release(&stack);
}

/* No list grows past its limit. */
static void limit(void **state)
{
    (void)state;
    struct stack_past past = {0};
    struct stack stack = {0};
    stack_make(&stack, STACK_OUTERMOST, BEGIN << 12, 0x1000, 1000, 0);
    stack_past_apply(&past, &stack);
    stack_make(&stack, STACK_TRUNCATED, BEGIN << 12, 0x1000, STACK_FRAMES_MAX, 900);
    stack_past_apply(&past, &stack);
    expect(&stack, STACK_TRUNCATED, STACK_FRAMES_MAX - 899, 0);
    stack_past_release(&past);
    stack_release(&stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(continued), cmocka_unit_test(not_continued),
                                       cmocka_unit_test(threads), cmocka_unit_test(limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
