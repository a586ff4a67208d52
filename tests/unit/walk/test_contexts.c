/* Calling contexts: functions that call each other in every way, and the tree that comes of it,
 * counted by hand. */
#include "walk/count/path_table.h"
#include "walk/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "world.h"

enum { ROUNDS = 100, FUNCTIONS = 7 };

static struct context *context;
static struct regions *regions;
static struct plan *plan;
static struct contexts *contexts;
static struct walk walker;
static uint8_t *library, *other_bank;
static uint64_t units_bytes, counters;

/* ---- the program: in each round `top` calls `mid` twice, which calls `pops`, that takes its
 * argument off the stack, and `leaf`, and jumps to `last`; then `deep`, four times itself; then one
 * of two by a table, through a stub. The carry lives across calls. */

extern char ctx_home[], ctx_top[], ctx_mid[], ctx_leaf[], ctx_last[], ctx_deep[], ctx_other[],
    ctx_pops[], ctx_end[];
__asm__(".text\nctx_home: int3\n"
        "ctx_top: mov %rdi,%rbx\n xor %eax,%eax\n"
        "1: call ctx_mid\n stc\n call ctx_mid\n adc $0,%rax\n mov $4,%esi\n call ctx_deep\n"
        " mov %rbx,%rdx\n and $1,%edx\n lea 9f(%rip),%rcx\n mov (%rcx,%rdx,8),%rcx\n"
        " call ctx_stub\n dec %rbx\n jnz 1b\n ret\n"
        "ctx_mid: push %rax\n call ctx_pops\n call ctx_leaf\n jmp ctx_last\n"
        "ctx_leaf: lea 1(%rax),%rax\n ret\n"
        "ctx_last: lea 2(%rax),%rax\n ret\n"
        "ctx_deep: test %esi,%esi\n jz 2f\n dec %esi\n sub $8,%rsp\n call ctx_deep\n add "
        "$8,%rsp\n2: ret\n"
        "ctx_other: lea 5(%rax),%rax\n ret\n"
        "ctx_pops: nop\n ret $8\n"
        "ctx_end: nop\n"
        "ctx_stub: jmp *%rcx\n"
        ".pushsection .data\n9: .quad ctx_leaf, ctx_other\n.popsection\n");

static const char *const starts[FUNCTIONS + 1] = {ctx_top,  ctx_mid,   ctx_leaf, ctx_last,
                                                  ctx_deep, ctx_other, ctx_pops, ctx_end};

enum { LEAF_NUMBER = 7, NOBODYS_NUMBER = 99, LEAF_PATH = 4 };

/* Operations that count: a path of `leaf` at its return, in whatever context; and in `last` one of
 * a function that is not there. */
static uint32_t operations_put(uint64_t at)
{
    struct wire_plan *operations = (void *)(library + at);
    uint64_t leaf = (uint64_t)ctx_leaf, returns = leaf + 4, last = (uint64_t)ctx_last;
    operations[0] = (struct wire_plan){.to = leaf, .action = PLAN_SET, .value = LEAF_PATH - 1};
    operations[1] = (struct wire_plan){.to = returns,
                                       .action = PLAN_COUNT,
                                       .value = 1,
                                       .bits = 5,
                                       .counter = LEAF_NUMBER,
                                       .flags = PLAN_IN_NODE};
    operations[2] = (struct wire_plan){.to = last,
                                       .action = PLAN_COUNT,
                                       .value = 1,
                                       .counter = NOBODYS_NUMBER,
                                       .flags = PLAN_IN_NODE};
    return 3;
}

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(CONTEXT_SHADOW_AT + CONTEXT_SHADOW_BYTES, MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    plan = map_zeroed(sizeof *plan, MAP_PRIVATE);
    contexts = map_zeroed(sizeof *contexts, MAP_PRIVATE);
    library = map_zeroed(PLAN_LIBRARY_BYTES, MAP_PRIVATE);
    other_bank = map_zeroed(CHANNEL_BANK_BYTES, MAP_PRIVATE);
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    unit_log_open(&cache->units, map_zeroed(8 << 20, MAP_PRIVATE), 8 << 20, &units_bytes, &counters,
                  1 << 20);
    regions->refresh = read_maps;
    struct wire_plan_function *functions = (void *)library;
    for (int i = 0; i < FUNCTIONS; i++)
        functions[i] = (struct wire_plan_function){.start = (uint64_t)starts[i],
                                                   .of = (uint64_t)starts[i],
                                                   .bytes = (uint32_t)(starts[i + 1] - starts[i]),
                                                   .flags = PLAN_FUNCTION};
    plan->library = library;
    functions[2].number = LEAF_NUMBER;
    functions[2].paths = 6;
    struct wire_plan_module module = {.bytes = sizeof module,
                                      .operations = 4096,
                                      .n = operations_put(4096),
                                      .start = (uint64_t)ctx_home,
                                      .end = (uint64_t)ctx_end + 64,
                                      .n_functions = FUNCTIONS};
    assert_true(plan_add(plan, &module));
    *contexts = (struct contexts){.plan = plan, .regions = regions};
    cache->plan = plan;
    cache->contexts = contexts;
    walker = (struct walk){.cache = cache, .context = context};
    return 0;
}

static uint8_t program_stack[1 << 18];

__attribute__((target("general-regs-only"))) static uint64_t walked(uint32_t nodes_max, int ticks)
{
    uint64_t sp = ((uint64_t)program_stack + sizeof program_stack - 256) & ~UINT64_C(15);
    *(uint64_t *)sp = (uint64_t)ctx_home;
    cache_flush(cache);
    bank_empty(context->counters);
    contexts->nodes_max = nodes_max;
    contexts->ticks = ticks == 1;
    contexts->ticks_some = ticks == 2;
    contexts_begin(contexts, context);
    context->gpr[RSP] = sp;
    context->gpr[RDI] = ROUNDS;
    context->pc = (uint64_t)ctx_top;
    context->flags = 0x202;
    uint64_t gs = gs_swap((uint64_t)context);
    uint32_t stop = walk_run(&walker, FLAVOUR_COUNT);
    gs_swap(gs);
    assert_int_equal(stop, LOSS_at_trap);
    return context->gpr[RAX];
}

/* ---- the tree */

/* Calls of a function below a function, from wherever; 0 and NULL: below the root. */
static uint64_t calls(uint8_t *bank, const char *parent, const char *function)
{
    uint64_t n = 0;
    for (uint32_t at = 0; node_at(bank, at)->bytes; at += node_at(bank, at)->bytes) {
        const struct wire_node *node = node_at(bank, at);
        if (node_is_other(bank, at))
            continue;
        uint64_t above = contexts->functions[node_at(bank, node->parent)->function].start;
        if (at && contexts->functions[node->function].start == (uint64_t)function &&
            above == (uint64_t)parent)
            n += node->count;
    }
    return n;
}

/* Calls of contexts that were one too many. */
static uint64_t lost(uint8_t *bank)
{
    uint64_t n = 0;
    for (uint32_t at = 0; node_at(bank, at)->bytes; at += node_at(bank, at)->bytes)
        n += node_is_other(bank, at) ? node_at(bank, at)->count : 0;
    return n;
}

static uint32_t contexts_of(uint8_t *bank, const char *function)
{
    uint32_t n = 0;
    for (uint32_t at = 0; node_at(bank, at)->bytes; at += node_at(bank, at)->bytes)
        n += !node_is_other(bank, at) && node_at(bank, at)->function < CONTEXTS_FUNCTIONS &&
             contexts->functions[node_at(bank, at)->function].start == (uint64_t)function;
    return n;
}

static void check_tree(uint8_t *bank, uint64_t times)
{
    uint64_t n = times * ROUNDS;
    assert_int_equal(calls(bank, ctx_top, ctx_mid), 2 * n);
    assert_int_equal(calls(bank, ctx_mid, ctx_pops), 2 * n);
    assert_int_equal(contexts_of(bank, ctx_mid), 2); /* who pops arguments comes back to the same */
    assert_int_equal(calls(bank, ctx_mid, ctx_leaf), 2 * n);
    assert_int_equal(calls(bank, ctx_mid, ctx_last), 2 * n);
    assert_int_equal(calls(bank, ctx_top, ctx_deep), 5 * n);
    assert_int_equal(calls(bank, ctx_deep, ctx_deep), 0);
    assert_int_equal(calls(bank, ctx_top, ctx_leaf), n / 2);
    assert_int_equal(calls(bank, ctx_top, ctx_other), n / 2);
}

/* In each round 2 (1 + 2) and the carry, and 1 or 5. */
enum { RESULT = ROUNDS * 7 + ROUNDS / 2 * 6 };

static void contexts_are_counted(void **state)
{
    (void)state;
    for (int single = 0; single < 2; single++)
        for (int ticks = 0; ticks < 3; ticks++) {
            walker.single = single;
            assert_int_equal(walked(1000, ticks), RESULT);
            check_tree((uint8_t *)context->counters, 1);
            assert_int_equal(lost((uint8_t *)context->counters), 0);
        }
    walker.single = false;
}

/* Of two threads in one; and of a fork, which has counted nothing yet. */
static void trees_are_added(void **state)
{
    (void)state;
    bank_empty(other_bank);
    for (int i = 0; i < 2; i++) {
        walked(1000, 0);
        contexts_merge(contexts, context, other_bank);
    }
    check_tree(other_bank, 2);
    walked(1000, 0);
    bank_empty(other_bank);
    contexts_copy(contexts, context, (uint8_t *)context->counters, other_bank);
    check_tree(other_bank, 0);
    assert_int_equal(node_at(other_bank, 0)->bytes, sizeof(struct wire_node));
    assert_true(node_at(other_bank, sizeof(struct wire_node))->bytes);
}

static void too_many_are_told(void **state)
{
    (void)state;
    assert_int_equal(walked(3, 0), RESULT);
    uint64_t n = lost((uint8_t *)context->counters);
    /* a mid, what both call, deep, and what the stub leads to */
    assert_int_equal(n, ROUNDS * (1 + 6 + 5 + 1));
    /* the root, the top, and what it calls first */
    assert_int_equal(calls((uint8_t *)context->counters, ctx_top, ctx_mid), ROUNDS);
    assert_int_equal(calls((uint8_t *)context->counters, ctx_mid, ctx_leaf), 0);
}

static void check_paths(uint8_t *bank, uint64_t times)
{
    uint64_t nobodys = 0;
    const struct wire_path *paths = (const void *)(bank + PATHS_AT);
    for (uint32_t at = 0; node_at(bank, at)->bytes; at += node_at(bank, at)->bytes) {
        struct wire_node *node = node_at(bank, at);
        if (node->number != LEAF_NUMBER)
            continue;
        assert_int_equal(node_counters(node->paths), 32);
        for (uint64_t i = 0; i < 32; i++)
            assert_int_equal(node_path_counters(node)[i], i == LEAF_PATH ? node->count : 0);
    }
    for (size_t i = 0; i < PATHS_BYTES / sizeof *paths; i++)
        nobodys += paths[i].function == NOBODYS_NUMBER && !paths[i].node ? paths[i].count : 0;
    assert_int_equal(nobodys, 2 * ROUNDS * times);
}

/* Of each context, those of all that are one too many among them; and those of no context. */
static void paths_are_counted(void **state)
{
    (void)state;
    contexts->paths = true;
    contexts->n_functions = 0;
    memset(contexts->function_index, 0, sizeof contexts->function_index);
    contexts->n_transfers = 0;
    memset(contexts->transfer_index, 0, sizeof contexts->transfer_index);
    bank_empty(other_bank);
    for (int i = 0; i < 4; i++) {
        walker.single = i % 2;
        assert_int_equal(walked(i < 2 ? 1000 : 3, 0), RESULT);
        check_paths((uint8_t *)context->counters, 1);
        contexts_merge(contexts, context, other_bank);
        paths_merge(context, other_bank, 0, PATHS_BYTES);
        check_paths(other_bank, (uint64_t)i + 1);
    }
    walker.single = false;
}

/* A function with more paths than its quarter has places, whose numbers differ above the bits that
 * code looks at; met twice. */
static void crowds_find_room(void **state)
{
    (void)state;
    enum { CROWD = 150000 };
    uint64_t lost = 0, count = 0, n = 0;
    struct wire_path *own = (void *)((uint8_t *)context->counters + PATHS_AT);
    const struct wire_path *others = (const void *)(other_bank + PATHS_AT);
    bank_empty((uint8_t *)context->counters);
    bank_empty(other_bank);
    context->paths_lost = &lost;
    for (uint64_t i = 0; i < CROWD; i++)
        own[i] = (struct wire_path){.path = i << 33 | 5, .function = 7, .count = 1};
    paths_merge(context, other_bank, 0, PATHS_BYTES / 2);
    paths_merge(context, other_bank, PATHS_BYTES / 2, PATHS_BYTES);
    paths_merge(context, other_bank, 0, PATHS_BYTES);
    for (size_t i = 0; i < PATHS_BYTES / sizeof *others; i++) {
        count += others[i].count;
        n += others[i].count != 0;
    }
    assert_int_equal(lost, 0);
    assert_int_equal(n, CROWD);
    assert_int_equal(count, 2 * CROWD);
    bank_empty((uint8_t *)context->counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_are_counted), cmocka_unit_test(trees_are_added),
        cmocka_unit_test(too_many_are_told),    cmocka_unit_test(paths_are_counted),
        cmocka_unit_test(crowds_find_room),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
