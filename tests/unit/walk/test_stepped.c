/* Whole runs: instructions without a copy are handed to whoever executes them, and are part of
 * their superblock; uses of %gs are copied; transactions are aborted. */
#include "walk/run.h"

#include "walk/emit/through_gs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "world.h"

static struct context *context;
static struct regions *regions;
static struct walk walker;
static uint64_t units_bytes, counters, stepped_pc, steps;
static uint8_t program_stack[1 << 16];

extern char stepped_home[];
__asm__(".text\nstepped_home: ud2\n");

/* The test's own hand: what is stepped here is int3, after which nothing has changed. */
static bool step(struct walk *walk, uint64_t next)
{
    stepped_pc = walk->context->pc;
    walk->context->pc = next;
    steps++;
    return true;
}

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(sizeof *context + (1 << 20), MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    unit_log_open(&cache->units, map_zeroed(8 << 20, MAP_PRIVATE), 8 << 20, &units_bytes, &counters,
                  (1 << 20) / 8);
    units_bytes = counters = steps = 0;
    regions->refresh = read_maps;
    cache->whole = true;
    walker = (struct walk){.cache = cache, .context = context, .step = step};
    return 0;
}

__attribute__((target("general-regs-only"))) static uint64_t
walked(enum flavour flavour, const char *function, uint64_t argument)
{
    uint64_t home = (uint64_t)stepped_home;
    uint64_t sp = (((uint64_t)program_stack + sizeof program_stack - 256) & ~UINT64_C(15)) - 8;
    memset(context->gpr, 0x55, sizeof context->gpr);
    memcpy((void *)sp, &home, 8);
    context->gpr[RSP] = sp;
    context->gpr[RDI] = argument;
    context->pc = (uint64_t)function;
    context->flags = 0x202;
    uint64_t gs = gs_swap((uint64_t)context);
    uint32_t stop;
    do {
        for (int i = 0; i < CONTEXT_BUDGETS; i++)
            context->budgets[i] = -(INT64_C(1000) << BUDGET_BITS);
        context->record_at = -4 * 1000;
        stop = walk_run(&walker, flavour);
    } while (stop == LOSS_N);
    gs_swap(gs);
    assert_int_equal(stop, LOSS_at_trap);
    assert_true(context->pc == home);
    return context->gpr[RAX];
}

extern char with_trap[], with_trap_at[];
__asm__(".text\nwith_trap: lea 1(%rdi),%rax\nwith_trap_at: int3\n lea 2(%rax),%rax\n ret\n");

static void behind_a_step_it_goes_on(void **state)
{
    (void)state;
    for (enum flavour f = 0; f < FLAVOURS; f++) {
        steps = 0;
        assert_int_equal(walked(f, with_trap, 39), 42);
        assert_int_equal(steps, 1);
        assert_true(stepped_pc == (uint64_t)with_trap_at);
    }
}

/* What is stepped counts as an instruction of its segment. */
static void what_is_stepped_is_in_the_shape(void **state)
{
    (void)state;
    struct shape shape;
    shape_form(&shape, regions, (uint64_t)with_trap, true, SHAPE_SEGMENTS, (uint64_t)with_trap);
    assert_true(shape.stepped);
    assert_int_equal(shape.n_steps, 2);
    assert_int_equal(shape.segments[0].end, SEGMENT_SPLIT);
    assert_int_equal(shape.segments[0].instructions, 2);
    assert_true(shape.segments[0].target == (uint64_t)with_trap_at + 1);
    shape_form(&shape, regions, (uint64_t)with_trap, false, SHAPE_SEGMENTS, (uint64_t)with_trap);
    assert_false(shape.stepped);
    assert_int_equal(shape.n_steps, 1);
    assert_int_equal(shape.segments[0].end, SEGMENT_STOP);
}

/* Every kind of operand and of encoding: no base, base and index, with flags live, narrow, with REX
 * and without, with an immediate, locked, 0F, 0F38, vectors; and rdgsbase. */
extern char with_gs[];
__asm__(".text\nwith_gs:\n"
        "  push %rbx\n push %rcx\n push %r8\n push %r9\n push %r10\n"
        "  mov %gs:0,%rax\n"
        "  lea 8(%rdi),%rcx\n sub %rdi,%rcx\n"
        "  add %gs:(%rcx),%rax\n"
        "  stc\n mov %gs:8(,%rcx,2),%rbx\n adc %rbx,%rax\n"
        "  mov %rcx,%r8\n lea 1(%rdi),%r9\n sub %rdi,%r9\n"
        "  movb %al,%gs:32(%r8,%r9,4)\n movzbl %gs:32(%r8,%r9,4),%ebx\n add %rbx,%rax\n"
        "  movw $0x1234,%gs:64\n addl $0x11223344,%gs:64\n lock incl %gs:64\n"
        "  mov %gs:64,%r10d\n xor %r10,%rax\n"
        "  movbe %gs:16,%rbx\n xor %rbx,%rax\n"
        "  imul $3,%gs:24,%rbx\n add %rbx,%rax\n"
        "  movups %gs:16,%xmm1\n paddq %gs:0,%xmm1\n movups %xmm1,%gs:80\n add %gs:80,%rax\n"
        "  push %gs:40\n pop %rbx\n sub %rbx,%rax\n"
        "  addr32 mov %gs:8(%ecx),%rbx\n add %rbx,%rax\n"
        "  rdgsbase %rbx\n add %gs:(%rcx),%rbx\n xor %rbx,%rax\n"
        "  rdgsbase %r10d\n add %r10,%rax\n"
        "  pop %r10\n pop %r9\n pop %r8\n pop %rcx\n pop %rbx\n ret\n");

static uint64_t blocks[2][16];

static void blocks_fill(uint64_t *block)
{
    for (uint64_t i = 0; i < 16; i++)
        block[i] = (i + 3) * 0x9e3779b97f4a7c15;
}

static void copies_add_the_base_of_gs(void **state)
{
    (void)state;
    uint64_t (*native)(uint64_t);
    void *at = with_gs;
    memcpy(&native, &at, sizeof at);
    for (enum flavour f = 0; f < FLAVOURS; f++) {
        blocks_fill(blocks[0]);
        uint64_t gs = gs_swap((uint64_t)blocks[0]), expected = native(7);
        gs_swap(gs);
        memcpy(blocks[1], blocks[0], sizeof *blocks);
        blocks_fill(blocks[0]);
        steps = 0;
        context->program_gs = (uint64_t)blocks[0];
        assert_true(walked(f, with_gs, 7) == expected);
        assert_memory_equal(blocks[0], blocks[1], sizeof *blocks);
        assert_int_equal(steps, 0);
    }
}

/* Those that the copy could not be made of. */
static void what_is_not_copied_through_gs(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } not_these[] = {
        {"\x65\x4C\x8B\x1C\x25\x08\x00\x00\x00", 9}, /* mov %gs:8,%r11 */
        {"\x65\x49\x8B\x03", 4},                     /* mov %gs:(%r11),%rax */
        {"\x65\x4A\x8B\x04\x1C", 5},                 /* mov %gs:(%rsp,%r11),%rax */
        {"\x65\x88\x20", 3},                         /* mov %ah,%gs:(%rax) */
        {"\x65\x8F\x00", 3},                         /* pop %gs:(%rax) */
        {"\x65\x48\x8D\x00", 4},                     /* lea %gs:(%rax),%rax */
        {"\x65\xFF\x10", 3},                         /* call *%gs:(%rax) */
        {"\x65\xA4", 2},                             /* movsb */
        {"\x65\xC5\xF8\x10\x00", 5},                 /* vmovups */
        {"\xF3\x48\x0F\xAE\xD8", 5},                 /* wrgsbase %rax */
    };
    (void)state;
    for (size_t i = 0; i < sizeof not_these / sizeof *not_these; i++) {
        struct insn insn;
        assert_true(insn_decode((const uint8_t *)not_these[i].bytes, not_these[i].n, &insn));
        assert_int_equal(insn.refusal, REFUSAL_GS);
        assert_false(through_gs(&insn));
    }
}

extern char with_transaction[];
__asm__(".text\nwith_transaction:\n mov $-1,%eax\n stc\n xbegin 1f\n mov $99,%eax\n xend\n ret\n"
        "1: adc %rdi,%rax\n ret\n");

/* Aborted at once, with status 0 and all flags as they were. */
static void transactions_are_aborted(void **state)
{
    (void)state;
    regions->transactions = true;
    for (enum flavour f = 0; f < FLAVOURS; f++)
        for (int i = 0; i < 3; i++)
            assert_int_equal(walked(f, with_transaction, 40), 41);
    assert_int_equal(steps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(behind_a_step_it_goes_on, set_up),
        cmocka_unit_test_setup(what_is_stepped_is_in_the_shape, set_up),
        cmocka_unit_test_setup(copies_add_the_base_of_gs, set_up),
        cmocka_unit_test(what_is_not_copied_through_gs),
        cmocka_unit_test_setup(transactions_are_aborted, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
