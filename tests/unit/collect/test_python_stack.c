/* Python frames take the places of the loops that run them. */
#include "collect/stacks/python_stack.h"

#include "collect/stacks/stack.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct profile profile;
static struct python_functions functions;
static struct python_codes codes;

static bool add(uint64_t code, const char *name, uint32_t first_line)
{
    struct {
        struct event_python event;
        char texts[64];
    } entry = {.event = {.code = code, .first_line = first_line, .lines_bytes = 2}};
    entry.event.name_bytes = (uint16_t)strlen(name);
    entry.event.file_bytes = 4;
    memcpy(entry.texts, name, strlen(name));
    memcpy(entry.texts + strlen(name), "x.py", 4);
    memcpy(entry.texts + strlen(name) + 4, "\x87\x00", 2); /* its first line, for 16 bytes */
    return python_codes_add(&codes, &functions, &profile, &entry.event, sizeof entry);
}

static int setup(void **state)
{
    (void)state;
    profile_init(&profile);
    python_functions_init(&functions);
    python_codes_init(&codes);
    return !(add(0x100, "inner", 10) && add(0x200, "middle", 20) && add(0x300, "outer", 30));
}

static int teardown(void **state)
{
    (void)state;
    python_codes_release(&codes);
    python_functions_release(&functions);
    profile_release(&profile);
    return 0;
}

/* Innermost first: a leaf, a loop, what called it, another loop, main. */
static const struct stack_frame native[] = {{{0x1000}, STACK_SAMPLED, {0x70000}},
                                            {{0x2000}, STACK_CALLED, {0x70100}},
                                            {{0x3000}, STACK_CALLED, {0x70200}},
                                            {{0x2010}, STACK_CALLED, {0x70300}},
                                            {{0x4000}, STACK_CALLED, {0x70400}}};

static uint64_t python_pc(const char *name, uint32_t line)
{
    uint32_t f = python_functions_add(&functions, name, "x.py", line);
    return PYTHON_PC | python_functions_line(&functions, f, line);
}

static void expect(const struct stack *stack, const uint64_t *pcs, size_t n)
{
    assert_int_equal(stack->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(stack->at[i].pc.v, pcs[i]);
}

static void test_merge(void **state)
{
    (void)state;
    struct stack stack = {0}, merged = {0};
    for (size_t i = 0; i < 5; i++)
        *vec_push(&stack) = native[i];
    struct python_frame frames[] = {
        {.code = 0x100}, {.code = 0x200, .entered = 0x70180}, {.code = 0x300, .entered = 0x70390}};
    struct stack_sample sample = {.python = frames, .n_python = 3};
    assert_int_equal(python_stack_merge(&merged, &stack, &sample, &codes, &functions), 0);
    const uint64_t inner = python_pc("inner", 10), middle = python_pc("middle", 20),
                   outer = python_pc("outer", 30);
    expect(&merged, (uint64_t[]){0x1000, inner, middle, 0x3000, outer, 0x4000}, 6);

    /* The loop itself was interrupted: it stays. */
    frames[1].entered = 0x70080;
    assert_int_equal(python_stack_merge(&merged, &stack, &sample, &codes, &functions), 0);
    expect(&merged, (uint64_t[]){0x1000, inner, middle, 0x2000, 0x3000, outer, 0x4000}, 7);

    /* The C stack ends early: what ran outside of that is known all the same. */
    stack.n = 2;
    assert_int_equal(python_stack_merge(&merged, &stack, &sample, &codes, &functions), 0);
    expect(&merged, (uint64_t[]){0x1000, inner, middle, 0x2000, outer}, 5);

    /* Nobody has said what that code is, or another code object was there before. */
    frames[0].code = 0x400;
    frames[2].print = 1;
    assert_int_equal(python_stack_merge(&merged, &stack, &sample, &codes, &functions), 2);
    expect(&merged, (uint64_t[]){0x1000, middle, 0x2000}, 3);
    stack_release(&stack);
    stack_release(&merged);
}

static void test_damaged(void **state)
{
    (void)state;
    struct event_python event = {.code = 1, .name_bytes = 4};
    assert_false(python_codes_add(&codes, &functions, &profile, &event, sizeof event));
    event = (struct event_python){.code = 1, .lines_bytes = UINT32_MAX};
    assert_false(python_codes_add(&codes, &functions, &profile, &event, sizeof event));
    assert_true(add(0x100, "inner", 10)); /* another thread sends it, too */
}

/* One function has one start, whichever process had it. */
static void test_starts(void **state)
{
    (void)state;
    struct python_functions other;
    python_functions_init(&other);
    uint32_t a = python_functions_add(&functions, "f", "a.py", 1);
    uint32_t b = python_functions_add(&functions, "f", "b.py", 1);
    assert_int_not_equal(a, b);
    assert_int_equal(python_functions_add(&functions, "f", "a.py", 1), a);
    uint32_t again = python_functions_add(&other, "f", "b.py", 1);
    assert_int_equal(other.at[again].start, functions.at[b].start);
    assert_int_equal(python_functions_line(&functions, a, 0), functions.at[a].start);
    assert_int_equal(python_functions_line(&functions, a, 5), functions.at[a].start + 5);
    assert_int_equal(python_functions_line(&functions, a, 1 << 20), functions.at[a].start);
    python_functions_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_starts, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
