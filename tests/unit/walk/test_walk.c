/* Functions called on copies of themselves must do what they do natively, in every flavour. */
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
extern char home[];
__asm__(".text\nhome: int3\n");

static uint8_t program_stack[1 << 20];

static void prepare(void *function, uint64_t a, uint64_t b, uint64_t c)
{
    memset(context->gpr, 0x55, sizeof context->gpr);
    uint64_t sp = ((uint64_t)program_stack + sizeof program_stack - 256) & ~UINT64_C(15);
    sp -= 8;
    uint64_t back = (uint64_t)home;
    memcpy((void *)sp, &back, 8);
    context->gpr[RSP] = sp;
    context->gpr[RDI] = a;
    context->gpr[RSI] = b;
    context->gpr[RDX] = c;
    context->gpr[RAX] = 0;
    context->pc = (uint64_t)function;
    context->flags = 0x202;
}

/* Runs in pieces of `piece` instructions or records, as a sample would; the result is in rax. The
 * walked function's vector registers are live in between. */
__attribute__((target("general-regs-only"))) static uint64_t
walked(enum flavour flavour, int64_t piece, void *function, uint64_t a, uint64_t b, uint64_t c)
{
    prepare(function, a, b, c);
    uint64_t gs = gs_swap((uint64_t)context);
    uint32_t stop;
    do {
        for (int i = 0; i < CONTEXT_BUDGETS; i++)
            context->budgets[i] = -(piece << BUDGET_BITS);
        context->record_at = -4 * piece;
        stop = walk_run(&walker, flavour);
    } while (stop == LOSS_N);
    gs_swap(gs);
    assert_int_equal(stop, LOSS_at_trap);
    assert_int_equal(context->pc, (uint64_t)home);
    return context->gpr[RAX];
}

typedef uint64_t function3(uint64_t, uint64_t, uint64_t);

static void check_same(function3 *function, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t expected = function(a, b, c);
    void *at;
    memcpy(&at, &function, sizeof at);
    static const int64_t pieces[] = {1, 7, 60000};
    for (enum flavour f = 0; f < FLAVOURS; f++)
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(walked(f, pieces[i], at, a, b, c), expected);
}

/* ---- what compilers make */

static uint64_t fibonacci(uint64_t n, uint64_t b, uint64_t c)
{
    return n < 2 ? n + b + c : fibonacci(n - 1, b, c) + fibonacci(n - 2, c, b);
}

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static uint64_t sorts(uint64_t n, uint64_t seed, uint64_t c)
{
    static int values[1000];
    for (uint64_t i = 0; i < n; i++)
        values[i] = (int)((seed = seed * 6364136223846793005u + c) >> 40);
    qsort(values, n, sizeof *values, compare_ints);
    uint64_t hash = 0;
    for (uint64_t i = 0; i < n; i++)
        hash = hash * 31 + (uint64_t)values[i];
    return hash;
}

static uint64_t formats(uint64_t n, uint64_t b, uint64_t c)
{
    char text[512];
    uint64_t hash = 0;
    for (uint64_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%lu %.17g %s %Lf", i * b, (double)i / 7, "text",
                 (long double)c);
        for (char *at = text; *at; at++)
            hash = hash * 131 + (uint8_t)*at;
        hash += strlen(text) + (uint64_t)(strstr(text, "ex") - text);
    }
    return hash;
}

static uint64_t switches(uint64_t n, uint64_t b, uint64_t c)
{
    uint64_t sum = c;
    for (uint64_t i = 0; i < n; i++) {
        switch ((i * b) % 11) {
        case 0: sum += 3; break;
        case 1: sum ^= i; break;
        case 2: sum *= 5; break;
        case 3: sum -= b; break;
        case 4: sum = sum << 3 | sum >> 61; break;
        case 5: sum += i * i; break;
        case 6: sum ^= sum >> 7; break;
        case 7: sum += 11; break;
        case 8: sum ^= 0x5555; break;
        default: sum++;
        }
    }
    return sum;
}

static jmp_buf jump_to;

static uint64_t long_jumps(uint64_t n, uint64_t b, uint64_t c)
{
    volatile uint64_t i = 0, sum = b;
    if (setjmp(jump_to))
        sum += c;
    if (i++ < n)
        longjmp(jump_to, 1);
    return sum;
}

static void compiled_code(void **state)
{
    (void)state;
    check_same(fibonacci, 18, 1, 2);
    check_same(sorts, 1000, 12345, 99);
#ifdef __SANITIZE_ADDRESS__
    /* The sanitizer's runtime uses the vector registers that the walk has live, and its longjmp
     * makes a system call. */
    (void)formats, (void)long_jumps;
#else
    check_same(formats, 50, 7, 9);
    check_same(long_jumps, 100, 5, 3);
#endif
    check_same(switches, 5000, 7, 1);
}

/* ---- what they make rarely: flags live across everything, odd branches, the red zone */

uint64_t asm_flags(uint64_t, uint64_t, uint64_t);
uint64_t asm_counted(uint64_t, uint64_t, uint64_t);
uint64_t asm_calls(uint64_t, uint64_t, uint64_t);
uint64_t asm_red_zone(uint64_t, uint64_t, uint64_t);
uint64_t asm_flags_out(uint64_t, uint64_t, uint64_t);
__asm__(
    /* carry kept over jumps, calls, returns and a loop that only dec and lea touch */
    ".text\nasm_flags: xor %eax,%eax\n mov %rdi,%rcx\n stc\n"
    "1: adc %rsi,%rax\n jmp 2f\n nop\n2: call 4f\n adc %rdx,%rax\n dec %rcx\n jnz 1b\n"
    "  setc %dl\n movzbl %dl,%edx\n lea (%rax,%rdx),%rax\n ret\n"
    "4: lea 5(%rax),%rax\n ret\n"
    /* jrcxz, loop, loopne */
    "asm_counted: xor %eax,%eax\n mov %rdi,%rcx\n"
    "1: jrcxz 2f\n add %rsi,%rax\n dec %rcx\n jmp 1b\n"
    "2: mov %rdi,%rcx\n3: add %rdx,%rax\n loop 3b\n mov %rdi,%rcx\n"
    "4: inc %rax\n cmp %rsi,%rax\n loopne 4b\n add %rcx,%rax\n ret\n"
    /* calls through memory relative to %rsp and %rip and through %rax; ret imm */
    "asm_calls: lea 5f(%rip),%rax\n push %rax\n mov %rdi,%r8\n"
    "1: call *(%rsp)\n call *6f(%rip)\n lea 5f(%rip),%rax\n call *%rax\n push %r8\n push %r8\n"
    "  call 7f\n dec %r8\n jnz 1b\n pop %rax\n mov %rsi,%rax\n ret\n"
    "5: add %rdx,%rsi\n ret\n7: add 8(%rsp),%rsi\n ret $16\n"
    ".section .data.rel.local,\"aw\"\n6: .quad 5b\n.text\n"
    /* values below the stack pointer, across branches and an indirect jump */
    "asm_red_zone: mov %rdi,-8(%rsp)\n mov %rsi,-16(%rsp)\n mov %rdx,-128(%rsp)\n"
    "  lea 1f(%rip),%rax\n jmp *%rax\n ud2\n"
    "1: mov -8(%rsp),%rax\n cmp $3,%rdi\n jb 2f\n add -16(%rsp),%rax\n2: add -128(%rsp),%rax\n "
    "ret\n"
    /* a result in flags, read after an indirect jump and a return */
    "asm_flags_out: cmp %rsi,%rdi\n call 1f\n pushfq\n pop %rax\n and $0x8d5,%eax\n ret\n"
    "1: lea 2f(%rip),%r8\n jmp *%r8\n ud2\n2: ret\n");

static void rare_code(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 40; n += 3) {
        check_same(asm_flags, n, UINT64_MAX - n, n * 3);
        check_same(asm_counted, n, n + 2, 7);
        check_same(asm_calls, n, 3, n);
        check_same(asm_red_zone, n, 5, 6);
        check_same(asm_flags_out, n, 20, 0);
        check_same(asm_flags_out, n - 20, 1, 0);
    }
}

/* ---- counters and records agree with a walk of the shapes */

static const struct wire_superblock *unit_of(uint32_t exit)
{
    const uint8_t *at = cache->units.base, *end = at + units_bytes;
    for (; at < end; at += ((const struct wire_superblock *)(const void *)at)->bytes) {
        const struct wire_superblock *unit = (const void *)at;
        if (unit->kind == UNIT_SUPERBLOCK && exit - unit->first_exit < unit->n_exits)
            return unit;
    }
    return NULL;
}

/* Exits recorded in one window describe one connected path. */
static void records_are_a_path(void **state)
{
    (void)state;
    prepare((void *)(uintptr_t)&sorts, 300, 7, 3);
    uint64_t gs = gs_swap((uint64_t)context);
    context->record_at = -4 * (int64_t)20000;
    uint32_t stop = walk_run(&walker, FLAVOUR_RECORD);
    gs_swap(gs);
    uint32_t n = 20000 - (uint32_t)(-context->record_at / 4);
    assert_true(stop == LOSS_N ? n == 20000 : n > 0);
    const uint32_t *exits = &context->records[CONTEXT_RECORDS - 20000];
    uint64_t expected = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct wire_superblock *unit = unit_of(exits[i]);
        assert_non_null(unit);
        const struct wire_segment *segments = (const void *)(unit + 1);
        if (expected)
            assert_int_equal(segments[0].start, expected);
        uint32_t j = exits[i] - unit->first_exit;
        expected = j < unit->n_segments ? segments[j].target
                                        : segments[j - 1].start + segments[j - 1].bytes;
    }
}

/* Instructions that the counters say have run: what goes into a superblock comes out of it. */
static uint64_t instructions_counted(void)
{
    const uint8_t *at = cache->units.base, *end = at + units_bytes;
    uint64_t instructions = 0;
    for (; at < end; at += ((const struct wire_superblock *)(const void *)at)->bytes) {
        const struct wire_superblock *unit = (const void *)at;
        if (unit->kind != UNIT_SUPERBLOCK || !unit->counter)
            continue;
        const struct wire_segment *segments = (const void *)(unit + 1);
        uint64_t left = context->counters[unit->counter];
        for (uint32_t s = 0; s < unit->n_segments; s++) {
            instructions += left * segments[s].instructions;
            uint64_t taken =
                segments[s].end == SEGMENT_COND ? context->counters[unit->counter + 1 + s] : 0;
            assert_true(taken <= left);
            left -= taken;
        }
    }
    return instructions;
}

/* Counters, budgets and records are three ways to count instructions: they agree. */
static void check_counts(function3 *function, uint64_t a, uint64_t b, uint64_t c)
{
    void *at;
    memcpy(&at, &function, sizeof at);
    function(a, b, c);
    for (int warm = 0; warm < 2; warm++) {
        memset(context->counters, 0, 1 << 20);
        walked(FLAVOUR_COUNT, 1, at, a, b, c);
        uint64_t counted = instructions_counted();
        int64_t each = INT64_C(1) << 30, charged = 0;
        walked(FLAVOUR_PLAIN, each, at, a, b, c);
        for (int i = 0; i < CONTEXT_BUDGETS; i++)
            charged += (context->budgets[i] + (each << BUDGET_BITS)) >> BUDGET_BITS;
        assert_int_equal(charged, counted);
    }
}

static void counts_agree(void **state)
{
    (void)state;
    check_counts(fibonacci, 15, 0, 1);
    check_counts(sorts, 500, 9, 8);
    check_counts(switches, 1000, 7, 1);
    for (uint64_t n = 1; n < 40; n += 3) {
        check_counts(asm_flags, n, UINT64_MAX - n, n * 3);
        check_counts(asm_counted, n, n + 2, 7);
        check_counts(asm_calls, n, 3, n);
    }
}

/* ---- indirect calls */

#define TARGET(i)                                                                                  \
    static uint64_t target_##i(uint64_t x)                                                         \
    {                                                                                              \
        return x * (i + 3) + 1;                                                                    \
    }
#define TARGETS(T) T(0) T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9) T(10) T(11)
TARGETS(TARGET)

static uint64_t (*volatile const targets[])(uint64_t) = {
#define NAME(i) target_##i,
    TARGETS(NAME)};

/* Calls the first `some` of them in turn. */
static uint64_t dispatches(uint64_t n, uint64_t some, uint64_t c)
{
    for (uint64_t i = 0; i < n; i++)
        c = targets[i % some](c);
    return c;
}

/* What pairs of a counted site and a target counted, and how many there are. */
static uint64_t pairs_sum(uint32_t *ret_pairs)
{
    uint64_t sum = 0;
    *ret_pairs = 0;
    for (uint64_t at = 0; at < units_bytes;) {
        uint32_t header[2];
        memcpy(header, cache->units.base + at, sizeof header);
        if (header[0] == UNIT_PAIR) {
            struct wire_pair pair;
            memcpy(&pair, cache->units.base + at, sizeof pair);
            sum += context->counters[pair.counter];
            ++*ret_pairs;
        }
        at += header[1];
    }
    return sum;
}

/* Each call is counted where it went, whether its site has few targets or a fan of them, and
 * targets that were known before the fan are not met anew. */
static void indirect_calls_are_counted_by_target(void **state)
{
    (void)state;
    enum { N = 6000 };
    function3 *function = dispatches;
    void *at;
    uint32_t pairs;
    memcpy(&at, &function, sizeof at);
    for (uint64_t some = 1; some <= 12; some++) {
        uint64_t before = pairs_sum(&pairs);
        assert_int_equal(walked(FLAVOUR_COUNT, 60000, at, N, some, 5), dispatches(N, some, 5));
        assert_int_equal(pairs_sum(&pairs) - before, N);
        /* The call is in two superblocks at most: that of the loop, and that which leads into it.
         */
        assert_in_range(pairs, some, 2 * some);
        assert_int_equal(cache->n_fans > 0, some > TABLES_FEW);
    }
    cache_flush(cache);
    assert_int_equal(cache->n_fans, 0);
    uint64_t before = pairs_sum(&pairs);
    assert_int_equal(walked(FLAVOUR_COUNT, 60000, at, N, 12, 5), dispatches(N, 12, 5));
    assert_int_equal(pairs_sum(&pairs) - before, N);
}

/* Functions at multiples of 64, as code that is made at run time has them: their low bits tell few
 * of them apart. */
enum { ALIGNED = 3000, ALIGNED_FAR = 40 };
__asm__(".pushsection .text\n"
        ".balign 64\n"
        "aligned_functions:\n"
        ".rept 3000\n"
        "  lea 1(%rdi,%rdi,2),%rax\n  ret\n  .balign 64\n"
        ".endr\n"
        ".balign 65536\n"
        "aligned_far:\n"
        ".rept 40\n"
        "  lea 3(%rdi,%rdi,4),%rax\n  ret\n  .balign 65536\n"
        ".endr\n"
        ".popsection\n");
extern const char aligned_functions[], aligned_far[];

static uint64_t dispatches_aligned(uint64_t n, uint64_t some, uint64_t value)
{
    for (uint64_t i = 0; i < n; i++) {
        const char *at = some == ALIGNED_FAR ? aligned_far + i % some * 65536
                                             : aligned_functions + i % some * 64;
        uint64_t (*function)(uint64_t);
        memcpy(&function, &at, sizeof at);
        value = function(value);
    }
    return value;
}

/* Slots of fans that lead past many targets. */
static uint32_t long_chains(void)
{
    const struct tables *tables = cache->tables;
    uint32_t n = 0;
    for (uint32_t fan = 0; fan < cache->n_fans; fan++)
        for (uint32_t i = 0; i < TABLES_FAN_SLOTS; i++)
            n += tables->fan_landings[fan][i] == TABLES_MANY && !tables->fan_below[fan][i];
    return n;
}

static void aligned_are_counted(uint64_t some)
{
    function3 *function = dispatches_aligned;
    void *at;
    uint32_t pairs;
    memcpy(&at, &function, sizeof at);
    cache_flush(cache);
    uint64_t before = pairs_sum(&pairs), n = 4 * ALIGNED;
    assert_int_equal(walked(FLAVOUR_COUNT, 1000000, at, n, some, 5),
                     dispatches_aligned(n, some, 5));
    assert_int_equal(pairs_sum(&pairs) - before, n);
}

static void many_aligned_targets_are_found_soon(void **state)
{
    (void)state;
    aligned_are_counted(ALIGNED);
    assert_in_range(cache->n_fans, 1 + 4, 2 * (1 + 4)); /* for one or two sites */
    assert_int_equal(long_chains(), 0);
    aligned_are_counted(ALIGNED_FAR);
    assert_in_range(cache->n_fans, TABLES_FAN_LEVELS, 2 * TABLES_FAN_LEVELS);
    assert_int_equal(long_chains(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(compiled_code, set_up),
        cmocka_unit_test_setup(rare_code, set_up),
        cmocka_unit_test(records_are_a_path),
        cmocka_unit_test(counts_agree),
        cmocka_unit_test_setup(indirect_calls_are_counted_by_target, set_up),
        cmocka_unit_test_setup(many_aligned_targets_are_found_soon, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
