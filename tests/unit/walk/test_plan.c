/* Operations on edges: a function whose paths are numbered by a plan, and counted by hand. */
#include "walk/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "world.h"

enum { COUNTERS = 1 << 20, OF_8 = 1000, OF_16 = 2000, ROUNDS = 3000 };

static struct context *context;
static struct regions *regions;
static struct plan *plan;
static struct walk walker;
static uint64_t units_bytes, counters;

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(sizeof *context + 8 * COUNTERS, MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    plan = map_zeroed(sizeof *plan, MAP_PRIVATE);
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    cache->units =
        (struct units){map_zeroed(8 << 20, MAP_PRIVATE), 8 << 20, &units_bytes, &counters};
    cache->max_counters = OF_8;
    regions->refresh = read_maps;
    walker = (struct walk){.cache = cache, .context = context};
    return 0;
}

/* ---- the function: two branches and a call a round; the carry lives across their edges */

uint64_t plan_rounds(uint64_t n, uint64_t seed);
extern char plan_home[], plan_head[], plan_first[], plan_second[], plan_second_on[], plan_jump[],
    plan_other[], plan_join[], plan_call[], plan_behind[], plan_last[], plan_callee[];
__asm__(".text\nplan_home: int3\n"
        "plan_rounds: mov %rdi,%rcx\n xor %eax,%eax\n"
        "plan_head: imul $1103515245,%rsi,%rsi\n add $12345,%rsi\n bt $16,%rsi\n"
        "plan_first: jnc 1f\n add $1,%rax\n"
        "1: bt $17,%rsi\n"
        "plan_second: jnc plan_other\nplan_second_on: adc $2,%rax\n"
        "plan_jump: jmp plan_join\n"
        "plan_other: adc $3,%rax\n"
        "plan_join: bt $18,%rsi\n"
        "plan_call: call plan_callee\n"
        "plan_behind: adc $0,%rax\n"
        "plan_last: dec %rcx\n jnz plan_head\n ret\n"
        "plan_callee: lea 5(%rax),%rax\n ret\n");

static uint64_t at(const char *label)
{
    return (uint64_t)label;
}

static int by_place(const void *a, const void *b)
{
    const struct wire_plan *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (int)x->reserved - (int)y->reserved;
}

/* jnc's target */
static uint64_t first_taken(void)
{
    return at(plan_first) + 2 + (uint64_t)(int64_t)(int8_t)plan_first[1];
}

static void plan_make(void)
{
    uint64_t bias = 0x1000;
    struct wire_plan operations[] = {
        {0, at(plan_head), PLAN_SET, 0, 0, 0},
        {at(plan_first), first_taken(), PLAN_ADD, 0, 1, 0},
        {at(plan_second), at(plan_second_on), PLAN_ADD, 0, 2, 0},
        {at(plan_jump), at(plan_join), PLAN_ADD, 0, 4, 0},
        {at(plan_second), at(plan_other), PLAN_ADD, 0, 300, 0},
        {at(plan_second), at(plan_other), PLAN_ADD, 0, -292, 1},
        {0, at(plan_call), PLAN_KEEP, 0, 0, 0},
        {0, at(plan_callee), PLAN_SET, 0, 77, 0},
        {0, at(plan_behind), PLAN_BACK, 0, 0, 0},
        {0, at(plan_last), PLAN_COUNT_8, OF_8, 0, 0},
        {0, at(plan_last), PLAN_COUNT_16, OF_16, 1000, 1},
    };
    uint32_t n = sizeof operations / sizeof *operations;
    for (uint32_t i = 0; i < n; i++) {
        operations[i].from -= operations[i].from ? bias : 0;
        operations[i].to -= bias;
    }
    struct plan_slice slice = {.start = at(plan_home), .end = at(plan_callee) + 64, .bias = bias};
    assert_false(plan_add(plan, &slice, operations, n, COUNTERS)); /* not sorted */
    qsort(operations, n, sizeof *operations, by_place);
    assert_false(plan_add(plan, &slice, operations, n, OF_16 + 65535)); /* beyond the counters */
    assert_true(plan_add(plan, &slice, operations, n, COUNTERS));
    operations[0].action = PLAN_ACTIONS;
    assert_false(plan_add(plan, &slice, operations, n, COUNTERS));
    assert_int_equal(plan->n, n);
    cache->plan = plan;
}

/* ---- walking it */

static uint8_t program_stack[1 << 18];

static uint64_t gs_swap(uint64_t base)
{
    uint64_t old;
    __asm__ volatile("rdgsbase %0\n wrgsbase %1" : "=&r"(old) : "r"(base) : "memory");
    return old;
}

__attribute__((target("general-regs-only"))) static uint64_t walked(uint64_t n, uint64_t seed)
{
    uint64_t sp = ((uint64_t)program_stack + sizeof program_stack - 256) & ~UINT64_C(15);
    *(uint64_t *)sp = at(plan_home);
    for (int i = 0; i < 16; i++)
        context->gpr[i] = 0x5555;
    context->gpr[RSP] = sp;
    context->gpr[RDI] = n;
    context->gpr[RSI] = seed;
    context->pc = (uint64_t)plan_rounds;
    context->flags = 0x202;
    uint64_t gs = gs_swap((uint64_t)context);
    uint32_t stop = walk_run(&walker, FLAVOUR_COUNT);
    gs_swap(gs);
    assert_int_equal(stop, LOSS_at_trap);
    return context->gpr[RAX];
}

static void expect(uint64_t n, uint64_t seed, uint64_t paths[16])
{
    memset(paths, 0, 16 * sizeof *paths);
    for (uint64_t i = 0; i < n; i++) {
        seed = seed * 1103515245 + 12345;
        paths[(seed >> 16 & 1 ? 0 : 1) + (seed >> 17 & 1 ? 6 : 8)]++;
    }
}

static void check(bool single)
{
    uint64_t paths[16];
    cache_flush(cache);
    memset(context->counters, 0, 8 * COUNTERS);
    walker.single = single;
    for (uint64_t seed = 1; seed < 4; seed++)
        assert_int_equal(walked(ROUNDS, seed), plan_rounds(ROUNDS, seed));
    for (uint64_t seed = 1; seed < 4; seed++) {
        expect(ROUNDS, seed, paths);
        for (int i = 0; i < 16; i++) {
            context->counters[OF_8 + i] -= paths[i];
            context->counters[OF_16 + 1000 + i] -= paths[i];
        }
        assert_true(paths[6] && paths[7] && paths[8] && paths[9]);
    }
    for (uint32_t i = OF_8; i < COUNTERS; i++)
        assert_int_equal(context->counters[i], 0);
}

static void paths_are_counted(void **state)
{
    (void)state;
    plan_make();
    check(false);
    check(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_are_counted)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
