/* Copies of stacks end where the stack's memory does, by a fault or by the kernel's word. */
#include "agent/base/stack_copy.h"

#include "agent/base/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = STACK_COPY_DEEP / PAGE + 1 };

static uint8_t *stack; /* PAGES that are there, and one behind them that is not */
static struct stack_copy copy;
static volatile int faults;

static void on_fault(int signal, siginfo_t *info, void *frame)
{
    (void)signal, (void)info;
    faults++;
    assert_true(stack_copy_faulted(frame));
}

static int begin(void **state)
{
    (void)state;
    uint8_t *memory =
        mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || munmap(memory + PAGES * PAGE, PAGE) != 0)
        return 1;
    stack = memory;
    for (uint64_t i = 0; i < PAGES * PAGE / 8; i++)
        ((uint64_t *)memory)[i] = (uint64_t)&begin + i; /* addresses are sent */
    return 0;
}

/* Copies from so many bytes below the end of the memory, and compares. */
static void copies(uint64_t below_end, uint64_t mask, uint64_t begin_of_stack, uint32_t expected)
{
    static uint64_t words[STACK_COPY_WORDS];
    struct kernel_ucontext frame = {
        .rsp = (uint64_t)stack + PAGES * PAGE - below_end, .mask = mask, .rbx = 77};
    faults = 0;
    uint32_t got = stack_copy_take(&copy, &frame, begin_of_stack, STACK_COPY_BYTES);
    assert_int_equal(got, expected);
    assert_int_equal(copy.registers[1], 77);
    assert_true(stack_words_decode(copy.words, copy.n_words, words, got / 8));
    assert_memory_equal(words, (void *)frame.rsp, got);
}

static void a_deep_stack_is_copied_as_far_as_there_is_room(void **state)
{
    (void)state;
    copies(PAGES * PAGE, 0, 0, STACK_COPY_DEEP);
    assert_int_equal(faults, 0);
}

static void a_fault_ends_the_copy(void **state)
{
    (void)state;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, cmocka;
    assert_int_equal(sigaction(SIGSEGV, &action, &cmocka), 0);
    copies(3 * PAGE + 16, 0, 0, 3 * PAGE + 16);
    sigaction(SIGSEGV, &cmocka, NULL);
    assert_int_equal(faults, 1);
}

static void where_faults_are_blocked_the_kernel_copies(void **state)
{
    (void)state;
    copies(2 * PAGE, UINT64_C(1) << (SIGSEGV - 1), 0, 2 * PAGE);
    assert_int_equal(faults, 0);
}

static void a_known_begin_ends_it(void **state)
{
    (void)state;
    uint64_t sp = (uint64_t)stack;
    copies(PAGES * PAGE, 0, sp + 800, 800 + STACK_BEGIN_BYTES);
    copies(PAGES * PAGE, 0, sp - 800, STACK_COPY_BYTES); /* another stack's */
    copies(PAGES * PAGE, 0, sp + 3 * STACK_COPY_BYTES, 3 * STACK_COPY_BYTES + STACK_BEGIN_BYTES);
    copies(PAGES * PAGE, 0, sp + STACK_COPY_DEEP, STACK_COPY_BYTES); /* it would not be whole */
    for (int i = 0; i < STACK_COPY_GUESSES; i++)
        copies(PAGES * PAGE, 0, 0, STACK_COPY_DEEP);
    copies(PAGES * PAGE, 0, 0, STACK_COPY_BYTES); /* nobody finds where it begins */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deep_stack_is_copied_as_far_as_there_is_room),
        cmocka_unit_test(a_fault_ends_the_copy),
        cmocka_unit_test(where_faults_are_blocked_the_kernel_copies),
        cmocka_unit_test(a_known_begin_ends_it),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
