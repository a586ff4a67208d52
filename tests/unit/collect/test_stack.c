/* How stacks end, and what is guessed where code has no rules. */
#include "collect/stacks/stack.h"

#include "base/err.h"
#include "program/elf/image.h"
#include "program/unwind/unwind.h"

#include <asm/perf_regs.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* Code at [0x1000, 0x2000) has one rule: a frame of 16 bytes. At [0x2000, 0x3000) it has none, nor
 * does it at [0x3000, 0x4000), which is a file whose bytes are known: a call at its start, then
 * nothing. At 0x1F00 the outermost function starts. */
enum { RULED = 0x1000, BARE = 0x2000, FILED = 0x3000, OUTERMOST = 0x1F00, STACK = 0x70000 };

static struct unwind_rule rules[2] = {
    {.number = 16,
     .cfa = CFA_REGISTER,
     .cfa_register = UNWIND_RSP,
     .columns = 1u << UNWIND_RIP,
     .column = {[UNWIND_RIP] = -8 * (1 << COLUMN_BITS) + COLUMN_AT}},
    {.number = 8,
     .cfa = CFA_REGISTER,
     .cfa_register = UNWIND_RSP,
     .columns = 1u << UNWIND_RIP,
     .column = {[UNWIND_RIP] = COLUMN_UNDEFINED}},
};
static struct unwind_row rows[3] = {{RULED, 0}, {OUTERMOST, 1}, {BARE, UNWIND_NO_ROW}};
static uint32_t index_cells[1];
static const struct unwind table = {.rows = {.at = rows, .n = 3},
                                    .rules = {.at = rules, .n = 2},
                                    .index = {.at = index_cells, .n = 1},
                                    .shift = 16};

static uint8_t file_bytes[0x1000] = {0xE8, 0, 0, 0, 0};
static struct segment segment = {.start = {FILED},
                                 .file_bytes = sizeof file_bytes,
                                 .memory_bytes = sizeof file_bytes,
                                 .executable = true};
static const struct image image = {.file = {.bytes = file_bytes, .n_bytes = sizeof file_bytes},
                                   .segments = {.at = &segment, .n = 1}};

static bool place(void *closure, struct avma at, struct stack_place *ret_place)
{
    (void)closure;
    if (at.v < RULED || at.v >= FILED + 0x1000)
        return false;
    *ret_place = (struct stack_place){.at = {at.v}};
    if (at.v < BARE)
        ret_place->unwind = &table;
    if (at.v >= FILED)
        ret_place->image = &image;
    return true;
}

static uint64_t words[64];

/* Registers in perf's order, lowest bit first: bp, sp, ip. */
static void walk(struct stack *stack, uint64_t ip, uint64_t bp, size_t n_words)
{
    const uint64_t registers[] = {bp, STACK, ip};
    struct stack_sample sample = {.mask = 1u << PERF_REG_X86_BP | 1u << PERF_REG_X86_SP |
                                          1u << PERF_REG_X86_IP,
                                  .registers = registers,
                                  .bytes = (const uint8_t *)words,
                                  .n_bytes = n_words * 8};
    struct stack_space space = {.place = place};
    stack_walk(stack, &space, &sample);
}

static void put(size_t from, size_t n, ...)
{
    va_list args;
    va_start(args, n);
    memset(words, 0, sizeof words);
    for (size_t i = 0; i < n; i++)
        words[from + i] = va_arg(args, uint64_t);
    va_end(args);
}
#define W(value) ((uint64_t)(value))

static void expect(const struct stack *stack, enum stack_end end, size_t n, ...)
{
    va_list args;
    va_start(args, n);
    assert_string_equal(stack_end_text[stack->end], stack_end_text[end]);
    assert_int_equal(stack->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(stack->at[i].pc.v, va_arg(args, uint64_t));
    va_end(args);
}

static void whole_stacks(void **state)
{
    (void)state;
    struct stack stack = {0};
    put(0, 4, W(0), W(RULED + 9), W(0), W(OUTERMOST + 5));
    walk(&stack, RULED, 0, 64);
    expect(&stack, STACK_OUTERMOST, 3, W(RULED), W(RULED + 9), W(OUTERMOST + 5));
    assert_int_equal(stack.at[0].how, STACK_SAMPLED);
    assert_int_equal(stack.at[1].how, STACK_CALLED);
    assert_int_equal(stack_frame_inside(&stack.at[0]).v, RULED);
    assert_int_equal(stack_frame_inside(&stack.at[1]).v, RULED + 8);
    /* A call at the very end of a function: the byte behind it is another's. */
    put(0, 2, W(0), W(BARE));
    walk(&stack, RULED, 0, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(RULED), W(BARE));
    stack_release(&stack);
}

static void cut_stacks(void **state)
{
    (void)state;
    struct stack stack = {0};
    put(0, 4, W(0), W(RULED + 9), W(0), W(OUTERMOST + 5));
    walk(&stack, RULED, 0, 3);
    expect(&stack, STACK_TRUNCATED, 2, W(RULED), W(RULED + 9));
    walk(&stack, RULED, 0, 0);
    expect(&stack, STACK_GONE, 1, W(RULED));
    put(0, 2, W(0), W(0x9000));
    walk(&stack, RULED, 1, 64);
    expect(&stack, STACK_UNMAPPED, 2, W(RULED), W(0x9000));
    put(0, 2, W(0), W(BARE + 9));
    walk(&stack, RULED, 1, 64);
    expect(&stack, STACK_NO_RULE, 2, W(RULED), W(BARE + 9));
    stack_release(&stack);
}

/* Without sp and ip there is nothing to walk. */
static void missing_registers(void **state)
{
    (void)state;
    struct stack stack = {0};
    const uint64_t registers[] = {STACK};
    struct stack_sample sample = {.mask = 1u << PERF_REG_X86_SP, .registers = registers};
    stack_walk(&stack, &(struct stack_space){.place = place}, &sample);
    expect(&stack, STACK_BAD, 0);
    stack_release(&stack);
}

static void long_stacks(void **state)
{
    (void)state;
    static uint64_t many[2 * (STACK_FRAMES_MAX + 2)];
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        many[i] = RULED + 0x20;
    const uint64_t registers[] = {STACK, RULED};
    struct stack stack = {0};
    struct stack_sample sample = {.mask = 1u << PERF_REG_X86_SP | 1u << PERF_REG_X86_IP,
                                  .registers = registers,
                                  .bytes = (const uint8_t *)many,
                                  .n_bytes = sizeof many};
    stack_walk(&stack, &(struct stack_space){.place = place}, &sample);
    assert_int_equal(stack.end, STACK_LIMIT);
    assert_int_equal(stack.n, STACK_FRAMES_MAX);
    stack_release(&stack);
}

static void guesses(void **state)
{
    (void)state;
    struct stack stack = {0};
    put(0, 1, W(OUTERMOST + 5));
    walk(&stack, BARE, 1, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(BARE), W(OUTERMOST + 5));
    assert_int_equal(stack.fallbacks[STACK_BY_LEAF], 1);
    put(2, 2, W(0), W(OUTERMOST + 5));
    walk(&stack, BARE, STACK + 16, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(BARE), W(OUTERMOST + 5));
    assert_int_equal(stack.fallbacks[STACK_BY_LEAF], 0);
    assert_int_equal(stack.fallbacks[STACK_BY_FRAME_POINTER], 1);
    /* Start code that nothing describes: rbp is zero. */
    put(2, 2, W(0), W(BARE + 9));
    walk(&stack, BARE, STACK + 16, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(BARE), W(BARE + 9));
    assert_int_equal(stack.fallbacks[STACK_BY_ZERO_FRAME_POINTER], 1);
    stack_release(&stack);
}

/* rbp is aligned; [rbp] tells where the frame is. What lies at [rbp + 8] is of an older call. */
static void aligned_frames(void **state)
{
    (void)state;
    struct stack stack = {0};
    put(2, 5, W(STACK + 40), W(RULED + 0x77), W(0), W(0), W(OUTERMOST + 5));
    walk(&stack, BARE, STACK + 16, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(BARE), W(OUTERMOST + 5));
    assert_int_equal(stack.fallbacks[STACK_BY_ALIGNED_FRAME], 1);
    assert_int_equal(stack.fallbacks[STACK_BY_FRAME_POINTER], 0);
    stack_release(&stack);
}

/* A word that points to code is no return address unless a call is before it. */
static void words_behind_calls(void **state)
{
    (void)state;
    struct stack stack = {0};
    put(0, 1, W(FILED + 5));
    walk(&stack, BARE, 0, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(BARE), W(FILED + 5));
    for (uint64_t wrong = FILED + 1; wrong < FILED + 16; wrong++) {
        if (wrong == FILED + 5)
            continue;
        put(0, 1, wrong);
        walk(&stack, BARE, 0, 64);
        expect(&stack, STACK_NO_RULE, 1, W(BARE));
    }
    /* call *%rax; call *8(%rax); call *8(%rsp); call *0(%rip); call *0(,%rax,8) */
    static const uint8_t calls[][8] = {{2, 0xFF, 0xD0},
                                       {3, 0xFF, 0x50, 8},
                                       {4, 0xFF, 0x54, 0x24, 8},
                                       {6, 0xFF, 0x15, 0, 0, 0, 0},
                                       {7, 0xFF, 0x14, 0xC5, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        memcpy(file_bytes + 0x100, calls[i] + 1, 7);
        for (uint64_t end = 1; end <= 8; end++) {
            put(0, 1, W(FILED + 0x100 + end));
            walk(&stack, BARE, 1, 64);
            assert_int_equal(stack.n, end == calls[i][0] ? 2 : 1);
        }
    }
    stack_release(&stack);
}

/* The loader's start has no rules, and may be met before it has called anybody. */
static void entries(void **state)
{
    (void)state;
    struct stack stack = {0};
    /* mov %rsp,%rdi; call; jmp *%r12; nop */
    static const uint8_t code[] = {0x48, 0x89, 0xE7, 0xE8, 0, 0, 0, 0, 0x41, 0xFF, 0xE4, 0x90};
    Elf64_Ehdr header = {.e_entry = FILED + 0x800};
    uint8_t kept[sizeof header];
    memcpy(file_bytes + 0x800, code, sizeof code);
    memcpy(kept, file_bytes, sizeof kept);
    memcpy(file_bytes, &header, sizeof header);
    put(0, 1, W(1));
    walk(&stack, FILED + 0x800, 1, 64);
    expect(&stack, STACK_OUTERMOST, 1, W(FILED + 0x800));
    assert_int_equal(stack.fallbacks[STACK_BY_ENTRY], 1);
    walk(&stack, FILED + 0x7FF, 1, 64);
    expect(&stack, STACK_NO_RULE, 1, W(FILED + 0x7FF));
    walk(&stack, FILED + 0x808, 1, 64);
    expect(&stack, STACK_OUTERMOST, 1, W(FILED + 0x808));
    walk(&stack, FILED + 0x80B, 1, 64);
    expect(&stack, STACK_NO_RULE, 1, W(FILED + 0x80B));
    put(0, 2, W(0), W(FILED + 0x808));
    walk(&stack, RULED, 1, 64);
    expect(&stack, STACK_OUTERMOST, 2, W(RULED), W(FILED + 0x808));
    memcpy(file_bytes, kept, sizeof kept);
    stack_release(&stack);
}

/* Called code that is in no file, between code of files: 16 bytes, whatever rbp is. Behind a guess
 * the stack must lead somewhere, so its caller's caller is the outermost. */
static void trampolines(void **state)
{
    (void)state;
    struct stack stack = {0};
    put(0, 4, W(0), W(BARE + 9), W(7), W(FILED + 5));
    walk(&stack, RULED, 1, 64);
    expect(&stack, STACK_NO_RULE, 3, W(RULED), W(BARE + 9), W(FILED + 5));
    assert_int_equal(stack.fallbacks[STACK_BY_TRAMPOLINE], 1);
    put(0, 4, W(0), W(BARE + 9), W(7), W(BARE + 5)); /* its caller is made at run time, too */
    walk(&stack, RULED, 1, 64);
    expect(&stack, STACK_NO_RULE, 2, W(RULED), W(BARE + 9));
    put(0, 4, W(7), W(FILED + 5), W(0), W(0)); /* at its own first instruction all may be other */
    walk(&stack, BARE + 9, 1, 64);
    assert_int_equal(stack.fallbacks[STACK_BY_TRAMPOLINE], 0);
    stack_release(&stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_stacks),
        cmocka_unit_test(cut_stacks),
        cmocka_unit_test(missing_registers),
        cmocka_unit_test(long_stacks),
        cmocka_unit_test(guesses),
        cmocka_unit_test(aligned_frames),
        cmocka_unit_test(words_behind_calls),
        cmocka_unit_test(entries),
        cmocka_unit_test(trampolines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
