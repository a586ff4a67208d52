/* Code that changes under its copies is noticed: another byte, or gone altogether. */
#include "walk/guards.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

static struct guards *guards;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    ucontext_t *state = context;
    uint64_t resume = guards_fault((uint64_t)state->uc_mcontext.gregs[REG_RIP]);
    if (!resume)
        abort();
    state->uc_mcontext.gregs[REG_RIP] = (greg_t)resume;
}

static int set_up(void **state)
{
    (void)state;
    guards = mmap(NULL, sizeof *guards, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return guards == MAP_FAILED;
}

static uint8_t *page_of_code(void)
{
    uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    for (int i = 0; i < 4096; i++)
        code[i] = (uint8_t)(i * 7);
    return code;
}

/* Two segments, neither of whose lengths is a multiple of eight. */
static struct shape shape_of(const uint8_t *code)
{
    struct shape shape = {.n_segments = 2};
    shape.segments[0] = (struct wire_segment){.start = (uint64_t)code + 3, .bytes = 21};
    shape.segments[1] = (struct wire_segment){.start = (uint64_t)code + 100, .bytes = 5};
    return shape;
}

static void every_byte_counts(void **state)
{
    (void)state;
    uint8_t *code = page_of_code();
    struct shape shape = shape_of(code);
    uint32_t guard = guards_add(guards, &shape);
    assert_true(guard && guards_hold(guards, guard));
    for (int i = 0; i < 200; i++) {
        bool inside = (i >= 3 && i < 24) || (i >= 100 && i < 105);
        code[i] ^= 1;
        assert_int_equal(guards_hold(guards, guard), !inside);
        code[i] ^= 1;
    }
    assert_true(guards_hold(guards, guard));
    munmap(code, 4096);
}

static void what_is_gone_is_another(void **state)
{
    (void)state;
    uint8_t *code = page_of_code();
    struct shape shape = shape_of(code);
    uint32_t guard = guards_add(guards, &shape);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL); /* here: the test's runner has set one of its own */
    munmap(code, 4096);
    assert_false(guards_hold(guards, guard));
    assert_int_equal(guards_add(guards, &shape), 0);
}

static void each_has_its_own(void **state)
{
    (void)state;
    uint8_t *first = page_of_code(), *second = page_of_code();
    struct shape one = shape_of(first), two = shape_of(second);
    uint32_t a = guards_add(guards, &one), b = guards_add(guards, &two);
    second[5] ^= 1;
    assert_true(guards_hold(guards, a));
    assert_false(guards_hold(guards, b));
    munmap(first, 4096);
    munmap(second, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(what_is_gone_is_another),
        cmocka_unit_test(each_has_its_own),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
