/* Operations on edges: a function whose paths are numbered by a plan, and counted by hand. */
#include "walk/emit/known_paths.h"
#include "walk/count/event_clock.h"
#include "walk/count/plan_apply.h"
#include "walk/run.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "world.h"

enum {
    OF_0 = 1000,
    OF_5 = 1100,
    OF_8 = 1200,
    OF_13 = 1500,
    OF_16 = 10000,
    OF_PAIRS = 80000,
    OF_CASES = 80300,
    OF_DEPTH = 80400,
    COUNTERS = 81000,
    ROUNDS = 3000,
    FUNCTION = 5,
};

static struct context *context;
static struct regions *regions;
static struct plan *plan;
static struct walk walker;
static struct wire_plan *library;
static uint64_t units_bytes, counters, paths_lost;

static int set_up(void **state)
{
    (void)state;
    context = map_zeroed(CONTEXT_SHADOW_AT + CONTEXT_SHADOW_BYTES, MAP_PRIVATE);
    cache = map_zeroed(sizeof *cache, MAP_PRIVATE);
    regions = map_zeroed(sizeof *regions, MAP_PRIVATE);
    plan = map_zeroed(sizeof *plan, MAP_PRIVATE);
    library = map_zeroed(PLAN_LIBRARY_BYTES, MAP_PRIVATE);
    plan->library = (const uint8_t *)library;
    plan->counters = COUNTERS;
    context->paths_lost = &paths_lost;
    context_init(context);
    assert_true(cache_init(cache, regions, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED)));
    unit_log_open(&cache->units, map_zeroed(8 << 20, MAP_PRIVATE), 8 << 20, &units_bytes, &counters,
                  OF_0);
    regions->refresh = read_maps;
    walker = (struct walk){.cache = cache, .context = context};
    return 0;
}

/* ---- the function: two branches and a call a round; the carry lives across their edges. Then a
 * jump by a table a round, whose first case is what comes behind a call; and a recursion, deeper
 * than 64 KiB. */

uint64_t plan_rounds(uint64_t n, uint64_t seed), plan_cases(uint64_t n, uint64_t seed),
    plan_recurse(uint64_t n, uint64_t seed);
extern char plan_home[], plan_head[], plan_first[], plan_second[], plan_second_on[], plan_jump[],
    plan_other[], plan_join[], plan_call[], plan_behind[], plan_last[], plan_callee[],
    plan_switch[], plan_case_0[], plan_case_1[], plan_case_2[], plan_case_end[], plan_case_call[],
    plan_deeper[], plan_deeper_call[], plan_deeper_behind[], plan_recursed[], plan_end[];
__asm__(
    ".text\nplan_home: int3\n"
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
    "plan_callee: lea 5(%rax),%rax\n ret\n"
    "plan_cases: xor %eax,%eax\n"
    "1: imul $1103515245,%rsi,%rsi\n add $12345,%rsi\n mov %rsi,%rdx\n shr $16,%rdx\n and $3,%edx\n"
    " lea 9f(%rip),%rcx\n mov (%rcx,%rdx,8),%rcx\n bt $20,%rsi\n"
    "plan_switch: jmp *%rcx\n"
    "plan_case_call: call plan_callee\n"
    "plan_case_0: adc $1,%rax\n jmp plan_case_end\n"
    "plan_case_1: adc $2,%rax\n jmp plan_case_end\n"
    "plan_case_2: adc $3,%rax\n"
    "plan_case_end: dec %rdi\n jnz 1b\n ret\n"
    ".pushsection .data\n9: .quad plan_case_0, plan_case_1, plan_case_2, "
    "plan_case_call\n.popsection\n"
    "plan_recurse:\nplan_recursed: mov %rdi,%rax\n"
    "plan_deeper: test %rdi,%rdi\n jz 2f\n dec %rdi\n sub $1000,%rsp\n"
    "plan_deeper_call: call plan_deeper\n"
    "plan_deeper_behind: add $1000,%rsp\n add $1,%rax\n"
    "2: ret\n"
    "plan_end: nop\n");

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
    return 0;
}

/* jnc's target */
static uint64_t first_taken(void)
{
    return at(plan_first) + 2 + (uint64_t)(int64_t)(int8_t)plan_first[1];
}

static struct wire_plan operation(uint64_t from, const char *to, enum plan_action action,
                                  int64_t value)
{
    return (struct wire_plan){
        .from = from, .to = at(to), .action = (uint8_t)action, .value = value};
}

static struct wire_plan count(const char *to, uint32_t counter, uint8_t bits, int64_t value,
                              uint16_t flags)
{
    return (struct wire_plan){.to = at(to),
                              .action = PLAN_COUNT,
                              .counter = counter,
                              .bits = bits,
                              .value = value,
                              .flags = flags};
}

/* Sorted without moving what is at one place. */
static void sort(struct wire_plan *operations, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j && by_place(&operations[j - 1], &operations[j]) > 0; j--) {
            struct wire_plan swapped = operations[j];
            operations[j] = operations[j - 1];
            operations[j - 1] = swapped;
        }
}

#define FAR (INT64_C(1) << 40)

static uint32_t operations_make(uint64_t bias)
{
    struct wire_plan operations[] = {
        operation(PLAN_AT, plan_head, PLAN_SET, 0),
        operation(at(plan_first), (const char *)first_taken(), PLAN_ADD, 1),
        operation(at(plan_second), plan_second_on, PLAN_ADD, 2),
        operation(at(plan_jump), plan_join, PLAN_ADD, 4),
        operation(at(plan_second), plan_other, PLAN_ADD, FAR),
        operation(at(plan_second), plan_other, PLAN_ADD, 8 - FAR),
        operation(PLAN_AT, plan_call, PLAN_KEEP, 0),
        operation(PLAN_AT, plan_callee, PLAN_SET, 3 * FAR),
        operation(PLAN_ARRIVAL, plan_behind, PLAN_BACK, 0),
        count(plan_last, OF_0, 0, 0, 0),
        count(plan_last, OF_5, 5, 0, 0),
        count(plan_last, OF_8, 8, 3, 0),
        count(plan_last, OF_13, 13, 1000, 0),
        count(plan_last, OF_16, 16, -1, 0),
        {.to = at(plan_last), .action = PLAN_COUNT_PATH, .counter = FUNCTION, .value = FAR},
        count(plan_last, OF_PAIRS, 5, 0, PLAN_TICKS),
        count(plan_last, OF_PAIRS + 64, 0, 0, PLAN_TICKS),
        operation(at(plan_switch), plan_case_1, PLAN_SET, 1),
        operation(at(plan_switch), plan_case_2, PLAN_SET, 2),
        operation(at(plan_switch), plan_case_0, PLAN_SET, 0),
        operation(PLAN_ARRIVAL, plan_case_0, PLAN_SET, 7),
        operation(PLAN_ARRIVAL, plan_case_call, PLAN_SET, 9), /* its edge has none */
        count(plan_case_end, OF_CASES, 5, 0, 0),
        {.to = at(plan_case_end), .action = PLAN_COUNT_PATH, .counter = FUNCTION, .value = 2 * FAR},
        operation(PLAN_AT, plan_deeper_call, PLAN_ADD, 1),
        operation(PLAN_AT, plan_deeper_call, PLAN_KEEP, 0),
        operation(PLAN_ARRIVAL, plan_deeper_behind, PLAN_BACK, 0),
        count(plan_deeper_behind, OF_DEPTH, 8, 0, 0),
        operation(PLAN_AT, plan_recursed, PLAN_SET, 0),
    };
    uint32_t n = sizeof operations / sizeof *operations;
    for (uint32_t i = 0; i < n; i++) {
        operations[i].from -= operations[i].from > PLAN_ARRIVAL ? bias : 0;
        operations[i].to -= bias;
    }
    memcpy(library + 1, operations, sizeof operations);
    return n;
}

static void plan_make(void)
{
    struct wire_plan_module module = {.bytes = sizeof module,
                                      .start = at(plan_home),
                                      .end = at(plan_end),
                                      .bias = 0x1000,
                                      .operations = sizeof *library};
    module.n = operations_make(module.bias);
    assert_false(plan_add(plan, &module)); /* not sorted */
    sort(library + 1, module.n);
    plan->counters = OF_DEPTH + 255; /* beyond the counters */
    assert_false(plan_add(plan, &module));
    plan->counters = COUNTERS;
    module.operations = PLAN_LIBRARY_BYTES - 32 * module.n + 8; /* beyond the library */
    assert_false(plan_add(plan, &module));
    module.operations = sizeof *library;
    assert_true(plan_add(plan, &module));
    library[1].action = PLAN_ACTIONS;
    assert_false(plan_add(plan, &module));
    library[1].action = PLAN_COUNT;
    library[1].bits = 7;
    assert_false(plan_add(plan, &module));
    operations_make(module.bias);
    sort(library + 1, module.n);
    assert_int_equal(plan->n_slices, 1);
    cache->plan = plan;
}

/* ---- walking it */

static uint8_t program_stack[1 << 21];

__attribute__((target("general-regs-only"))) static uint64_t
walked(uint64_t (*function)(uint64_t, uint64_t), uint64_t n, uint64_t seed)
{
    uint64_t sp = ((uint64_t)program_stack + sizeof program_stack - 256) & ~UINT64_C(15);
    *(uint64_t *)sp = at(plan_home);
    for (int i = 0; i < 16; i++)
        context->gpr[i] = 0x5555;
    context->gpr[RSP] = sp;
    context->gpr[RDI] = n;
    context->gpr[RSI] = seed;
    context->pc = (uint64_t)function;
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

static uint64_t *counter(uint32_t number)
{
    return &context->counters[number];
}

/* By a counter of its own. */
static uint64_t path_known(uint64_t path)
{
    uint64_t count = 0;
    for (size_t i = 0; plan->known && i < KNOWN_PATHS_SLOTS; i++) {
        const struct known_path *known = &plan->known->slots[i];
        if (known->counter && known->path == path && known->function == FUNCTION) {
            count += *counter(known->counter);
            *counter(known->counter) = 0;
        }
    }
    return count;
}

static uint64_t path_counted(uint64_t path)
{
    const struct wire_path *paths = (const void *)((uint8_t *)context->counters + PATHS_AT);
    uint64_t known = path_known(path);
    for (size_t i = 0; i < PATHS_BYTES / sizeof *paths; i++)
        if (paths[i].count && paths[i].path == path && paths[i].function == FUNCTION)
            return known + paths[i].count;
    return known;
}

/* Counted under the numbers of its paths, in every way that there is; and nowhere else. */
static void check_rounds(void)
{
    uint64_t paths[16], rounds = 0;
    assert_int_equal(walked(plan_rounds, ROUNDS, 1), plan_rounds(ROUNDS, 1));
    expect(ROUNDS, 1, paths);
    for (uint32_t i = 0; i < 16; i++) {
        rounds += paths[i];
        *counter(OF_5 + i) -= paths[i];
        *counter(OF_8 + 3 + i) -= paths[i];
        *counter(OF_13 + 1000 + i) -= paths[i];
        *counter(OF_16 + (i + 0xffff) % 0x10000) -= paths[i];
        *counter(OF_PAIRS + 2 * i) -= paths[i];
        assert_int_equal(*counter(OF_PAIRS + 2 * i + 1) != 0, paths[i] != 0);
        *counter(OF_PAIRS + 2 * i + 1) = 0;
        assert_int_equal(path_counted(i + (uint64_t)FAR), paths[i]);
    }
    assert_int_equal(rounds, ROUNDS);
    assert_true(paths[6] && paths[7] && paths[8] && paths[9]);
    *counter(OF_0) -= rounds;
    *counter(OF_PAIRS + 64) -= rounds;
    *counter(OF_PAIRS + 65) = 0;
}

static void check_cases(void)
{
    uint64_t seed = 1, paths[4] = {0};
    assert_int_equal(walked(plan_cases, ROUNDS, 1), plan_cases(ROUNDS, 1));
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1103515245 + 12345;
        uint32_t which = seed >> 16 & 3;
        --*counter(OF_CASES + (which == 3 ? 7 : which));
        paths[which]++;
    }
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(path_counted(2 * (uint64_t)FAR + (i == 3 ? 7 : i)), paths[i]);
}

static void check_depth(void)
{
    assert_int_equal(walked(plan_recurse, 1000, 0), plan_recurse(1000, 0));
    for (uint32_t i = 1; i <= 1000; i++)
        --*counter(OF_DEPTH + i % 256);
}

static void check(bool single)
{
    cache_rehouse(cache, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED));
    bank_empty(context->counters);
    walker.single = single;
    check_rounds();
    check_cases();
    check_depth();
    for (uint32_t i = OF_0; i < COUNTERS; i++)
        if (context->counters[i])
            fail_msg("counter %u: %ld too many", i, (long)context->counters[i]);
    assert_int_equal(paths_lost, 0);
}

static void paths_are_counted(void **state)
{
    (void)state;
    plan_make();
    check(false);
    check(true);
    plan->known = map_zeroed(sizeof *plan->known, MAP_PRIVATE);
    plan->known->units = &cache->units;
    check(false);
    assert_int_not_equal(plan->known->n, 0);
}

/* ---- by a counter of the processor, which this machine may not have: rdpmc traps, and a handler
 * does it. The counter begins below 0, and goes on by STEP at each reading. Once the kernel moves
 * the event meanwhile; once it is on no counter. */

enum { STEP = 7, MOVED_AT = 100, STOPPED_AT = 200 };
static struct perf_event_mmap_page page;
static uint64_t read_times, read_outside, lost;

static void pmc_read(int signal, siginfo_t *info, void *frame)
{
    ucontext_t *where = frame;
    greg_t *gpr = where->uc_mcontext.gregs;
    (void)signal, (void)info;
    const uint8_t *code = (const uint8_t *)gpr[REG_RIP];
    read_outside += !cache_contains(cache, (uint64_t)code);
    if (code[0] != 0x0f || code[1] != 0x33 || (uint32_t)gpr[REG_RCX] + 1 != page.index)
        _exit(77);
    uint64_t now = (UINT64_C(1) << 48) - 1000 + STEP * ++read_times; /* 48 bits, negative */
    gpr[REG_RAX] = (uint32_t)now;
    gpr[REG_RDX] = now >> 32 & 0xffff;
    gpr[REG_RIP] += 2;
    if (read_times == MOVED_AT) {
        page.lock += 2;
        page.index = 3;
    } else if (read_times == STOPPED_AT) {
        page.index = 0;
    }
}

static void a_counter_is_read_in_code(void **state)
{
    (void)state;
    struct sigaction action = {.sa_sigaction = pmc_read, .sa_flags = SA_SIGINFO}, before;
    page = (struct perf_event_mmap_page){
        .lock = 8, .index = 2, .offset = 1000, .cap_user_rdpmc = 1, .pmc_width = 48};
    sigaction(SIGSEGV, &action, &before);
    plan->known = NULL;
    plan->events = context->event_kind = EVENT_CLOCK_PERF;
    context->event_page = &page;
    context->events_lost = &lost;
    context->path_began = context->event_count = 0;
    cache_rehouse(cache, map_zeroed(ZONES_ARENA_BYTES, MAP_SHARED));
    bank_empty(context->counters);
    walker.single = false;
    assert_int_equal(walked(plan_rounds, ROUNDS, 1), plan_rounds(ROUNDS, 1));
    sigaction(SIGSEGV, &before, NULL);
    uint64_t paths[16], passages = 0, events = *counter(OF_PAIRS + 65);
    expect(ROUNDS, 1, paths);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(*counter(OF_PAIRS + 2 * i), paths[i]);
        passages += paths[i];
        events += *counter(OF_PAIRS + 2 * i + 1);
    }
    /* All that is counted is somebody's, but for what passes between the two readings of the
     * dispatcher each time. */
    assert_int_equal(passages, ROUNDS);
    assert_int_equal(read_times, STOPPED_AT);
    assert_int_equal(context->event_count, (uint64_t)STEP * STOPPED_AT);
    assert_true(read_outside && read_outside < STOPPED_AT / 2);
    assert_int_equal(events, (uint64_t)STEP * (STOPPED_AT - read_outside / 2));
    assert_true(lost >= 2 * ROUNDS - STOPPED_AT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_are_counted),
                                       cmocka_unit_test(a_counter_is_read_in_code)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
