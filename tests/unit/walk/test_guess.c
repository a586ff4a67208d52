/* Branches that are guessed go where the program's own go, whether the guess is right or not, and
 * the instructions that they pay for are the same. */
#include "walk/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "walking.h"

/* The address that walked functions return to: a trap, where walks end. */
extern char guess_home[];
__asm__(".text\nguess_home: int3\n");

typedef uint64_t function2(uint64_t, uint64_t);

enum { EACH = 1 << 30 };

static uint64_t walked(enum flavour flavour, function2 *function, uint64_t a, uint64_t b)
{
    static uint8_t stack[1 << 16];
    uint64_t sp = ((uint64_t)stack + sizeof stack - 256) & ~UINT64_C(15), back;
    sp -= 8;
    back = (uint64_t)guess_home;
    memcpy((void *)sp, &back, 8);
    memset(context->gpr, 0x55, sizeof context->gpr);
    context->gpr[RSP] = sp;
    context->gpr[RDI] = a;
    context->gpr[RSI] = b;
    memcpy(&context->pc, &function, 8);
    context->flags = 0x202;
    uint64_t gs = gs_swap((uint64_t)context);
    for (int i = 0; i < CONTEXT_BUDGETS; i++)
        context->budgets[i] = -((int64_t)EACH << BUDGET_BITS);
    uint32_t stop;
    do {
        context->record_at = -4 * 60000;
        stop = walk_run(&walker, flavour);
    } while (stop == LOSS_N);
    gs_swap(gs);
    assert_int_equal(stop, LOSS_at_trap);
    assert_int_equal(context->pc, (uint64_t)guess_home);
    assert_int_equal(context->gpr[RSP], sp + 8);
    return context->gpr[RAX];
}

static uint64_t paid(void)
{
    int64_t sum = 0;
    for (int i = 0; i < CONTEXT_BUDGETS; i++)
        sum += (context->budgets[i] + ((int64_t)EACH << BUDGET_BITS)) >> BUDGET_BITS;
    return (uint64_t)sum;
}

/* Guessed exits of a flavour that are linked. */
static uint32_t guesses_linked(enum flavour flavour)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cache->n_superblocks; i++) {
        const struct copied_block *block = &cache->superblocks[i];
        n += block->guess && block->flavour == flavour &&
             cache_exit(cache, block->first_exit + block->guessed)->linked;
    }
    return n;
}

/* All leave %rdi times a sum in %rsi that tells the way, 1000 iterations at most. */
uint64_t guess_turns(uint64_t, uint64_t);
uint64_t guess_flags(uint64_t, uint64_t);
uint64_t guess_callers(uint64_t, uint64_t);
uint64_t guess_linkage(uint64_t, uint64_t);
uint64_t guess_stores(uint64_t, uint64_t);
uint64_t guess_moves(uint64_t, uint64_t);
uint64_t guess_pops(uint64_t, uint64_t);
__asm__(
    /* a callee that every third time returns elsewhere; its epilogue overwrites all flags */
    ".text\nguess_turns: mov %rdi,%r8\n"
    "1: call 2f\n add $1,%rsi\n jmp 4f\n"
    "3: add $1000,%rsi\n"
    "4: dec %rdi\n jnz 1b\n mov %rsi,%rax\n ret\n"
    "2: push %rbx\n sub $24,%rsp\n mov %rdi,%rax\n xor %edx,%edx\n mov $3,%ecx\n div %ecx\n"
    "  test %edx,%edx\n jnz 5f\n lea 3b(%rip),%rax\n mov %rax,32(%rsp)\n"
    "5: add $24,%rsp\n pop %rbx\n ret\n"
    /* the same without a place for a comparison, and with flags that are read after the return */
    "guess_flags: mov %rdi,%r8\n"
    "1: call 2f\n adc $1,%rsi\n jmp 4f\n"
    "3: adc $1000,%rsi\n"
    "4: dec %rdi\n jnz 1b\n mov %rsi,%rax\n ret\n"
    "2: bt $2,%edi\n jc 5f\n ret\n"
    "5: lea 3b(%rip),%rax\n mov %rax,(%rsp)\n bt $3,%edi\n jc 6f\n ret\n"
    "6: lea (%rsi,%rdi),%rsi\n ret\n"
    /* one function called from many places: more than there are copies of it */
    "guess_callers: xor %eax,%eax\n"
    "1: .rept 12\n call 2f\n lea 3(%rax,%rax),%rax\n .endr\n dec %rdi\n jnz 1b\n ret\n"
    "2: push %r11\n push %rcx\n xor %rsi,%rax\n pop %rcx\n pop %r11\n ret\n"
    /* a jump through memory that changes */
    "guess_linkage: xor %eax,%eax\n lea 4f(%rip),%r9\n lea 5f(%rip),%r10\n mov %r9,6f(%rip)\n"
    "1: call 3f\n cmp %rsi,%rdi\n jne 2f\n mov %r10,6f(%rip)\n2: dec %rdi\n jnz 1b\n ret\n"
    "3: jmp *6f(%rip)\n"
    "4: adc $1,%rax\n ret\n5: adc $1000,%rax\n ret\n"
    ".data\n.balign 8\n6: .quad 0\n.text\n"
    /* callees that return elsewhere every other time, between an instruction that overwrites all
     * flags and the return: one stores the address there, */
    ".macro GUESS_ROUNDS\n"
    "1: call 2f\n add $1,%rsi\n jmp 4f\n3: add $1000,%rsi\n4: dec %rdi\n jnz 1b\n"
    " mov %rsi,%rax\n ret\n"
    "2: mov (%rsp),%rax\n lea 3b(%rip),%rcx\n test $1,%edi\n cmovz %rcx,%rax\n"
    ".endm\n"
    "guess_stores: GUESS_ROUNDS\n push %rbx\n sub $24,%rsp\n add $24,%rsp\n mov %rax,8(%rsp)\n"
    " pop %rbx\n ret\n"
    /* the others move the stack, from a place where the caller's address is what it was */
    "guess_moves: GUESS_ROUNDS\n push %rbp\n mov %rsp,%rbp\n mov 8(%rbp),%rcx\n sub $24,%rsp\n"
    " mov %rcx,8(%rsp)\n mov %rax,8(%rbp)\n xor %edx,%edx\n mov %rbp,%rsp\n pop %rbp\n ret\n"
    "guess_pops: GUESS_ROUNDS\n mov (%rsp),%rcx\n mov %rax,(%rsp)\n mov %rsp,%rax\n"
    " sub $24,%rsp\n mov %rax,(%rsp)\n mov %rcx,8(%rsp)\n xor %edx,%edx\n pop %rsp\n ret\n");

static void check(function2 *function, uint64_t a, uint64_t b)
{
    uint64_t expected = function(a, b), first = 0;
    for (int round = 0; round < 3; round++) {
        for (enum flavour f = 0; f < FLAVOURS; f++)
            assert_int_equal(walked(f, function, a, b), expected);
        assert_int_equal(walked(FLAVOUR_PLAIN, function, a, b), expected);
        first = round ? first : paid();
        assert_int_equal(paid(), first);
    }
}

static void right_and_wrong(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 40; n += 3) {
        check(guess_turns, n, 5);
        check(guess_flags, n, 5);
        check(guess_callers, n, 5);
        check(guess_linkage, n + 3, n);
        check(guess_stores, n, 5);
        check(guess_moves, n, 5);
        check(guess_pops, n, 5);
    }
    assert_true(guesses_linked(FLAVOUR_PLAIN) > 0);
    assert_int_equal(guesses_linked(FLAVOUR_RECORD) + guesses_linked(FLAVOUR_COUNT), 0);
}

/* Each kind of guess is one that is right, too. */
static void early_late_and_linkage(void **state)
{
    static function2 *const functions[] = {guess_turns, guess_flags, guess_linkage};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        set_up(state);
        check(functions[i], 30, 5);
        assert_true(guesses_linked(FLAVOUR_PLAIN) > 0);
    }
}

/* Callers have copies of their own, but not all; what the walk pays is what runs. */
static void copies_for_callers(void **state)
{
    (void)state;
    check(guess_callers, 10, 1);
    uint32_t most = 0;
    for (uint32_t i = 0; i < cache->n_superblocks; i++)
        if (cache->superblocks[i].copies > most)
            most = cache->superblocks[i].copies;
    assert_in_range(most, 3, CACHE_COPIES * CACHE_GUESSES);
    walked(FLAVOUR_PLAIN, guess_callers, 10, 1);
    assert_int_equal(paid(), 1 + 10 * (12 * 8 + 2) + 1);
}

/* After code has changed, a guess leads to the dispatcher like any other indirect branch. */
static void forgotten(void **state)
{
    (void)state;
    check(guess_turns, 30, 5);
    assert_true(guesses_linked(FLAVOUR_PLAIN) > 0);
    cache_forget(cache);
    assert_int_equal(guesses_linked(FLAVOUR_PLAIN), 0);
    check(guess_turns, 30, 5);
    assert_true(guesses_linked(FLAVOUR_PLAIN) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(right_and_wrong, set_up),
        cmocka_unit_test(early_late_and_linkage),
        cmocka_unit_test_setup(copies_for_callers, set_up),
        cmocka_unit_test_setup(forgotten, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
