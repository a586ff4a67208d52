/* Changes of code are seen, wherever they are; what is gone is one. */
#include "walk/cache/witness.h"

#include "walk/base/probe.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { BYTES = 4096 };
static struct witness *witness;
static uint8_t *code;

static int prepare(void **state)
{
    (void)state;
    witness = calloc(1, sizeof *witness);
    code = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < BYTES; i++)
        code[i] = (uint8_t)(i * 37 + (i >> 8));
    return !witness || code == MAP_FAILED;
}

static void test_bits(void **state)
{
    (void)state;
    witness_forget(witness);
    assert_true(witness_add(witness, (uint64_t)code + 100, 300));
    assert_int_equal(witness->n, 6);
    assert_true(witness_add(witness, (uint64_t)code + 64, 64));
    assert_int_equal(witness->n, 6);
    assert_true(witness_holds(witness));
    for (int i = 64 * 8; i < 448 * 8; i++) {
        code[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_false(witness_holds(witness));
        code[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    assert_true(witness_holds(witness));
    code[63] ^= 1;
    code[448] ^= 1;
    assert_true(witness_holds(witness));
    code[63] ^= 1;
    code[448] ^= 1;
}

static void test_swapped(void **state)
{
    (void)state;
    uint64_t words[2];
    witness_forget(witness);
    assert_true(witness_add(witness, (uint64_t)code, 64));
    memcpy(words, code, sizeof words);
    memcpy(code, &words[1], 8);
    memcpy(code + 8, &words[0], 8);
    assert_false(witness_holds(witness));
    memcpy(code, words, sizeof words);
    assert_true(witness_holds(witness));
}

static void test_full(void **state)
{
    (void)state;
    witness_forget(witness);
    uint8_t *much = mmap(NULL, (size_t)(WITNESS_LINES + 1) * PROBE_LINE_BYTES, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(witness_add(witness, (uint64_t)much, (uint64_t)WITNESS_LINES * PROBE_LINE_BYTES));
    assert_true(witness_holds(witness));
    assert_false(witness_add(witness, (uint64_t)code, 1));
    witness_forget(witness);
    assert_true(witness_add(witness, (uint64_t)code, 1));
    munmap(much, (size_t)(WITNESS_LINES + 1) * PROBE_LINE_BYTES);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uint64_t resume = probe_fault((uint64_t)*pc);
    if (!resume)
        abort();
    *pc = (greg_t)resume;
}

static void test_gone(void **state)
{
    (void)state;
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &fault, &before);
    witness_forget(witness);
    assert_true(witness_add(witness, (uint64_t)code, 64));
    munmap(code, BYTES);
    assert_false(witness_holds(witness));
    sigaction(SIGSEGV, &before, NULL);
    assert_int_equal(probe_fault((uint64_t)test_gone), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_gone),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
