#include "profile/part.h"
#include "profile/times.h"

#include "base/err.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { SAMPLES = 4000 };
static const uint64_t START = 1790000000123456789u;

static uint64_t state = 7;
static uint64_t below(uint64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

struct seen {
    uint64_t at_ns, weight;
    uint32_t cpu;
};

/* Random stacks over 40 s, whose samples are noted as they are. */
static void some_run(struct profile *profile, struct seen *seen, uint64_t seconds)
{
    profile_init(profile);
    profile->mode = PROFILE_SAMPLED;
    profile->start_unix_ns = START;
    uint32_t code = profile_module(profile, "/bin/x", NULL, 0);
    uint32_t kernel = profile_module(profile, "[kernel]", NULL, 0);
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t node = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE,
                                    stack_thread(1, 1 + (uint32_t)below(3)));
        for (uint64_t n = below(8); n; n--)
            node = stacks_node(&profile->stacks, node, below(9) ? code : kernel, 0x1000 + below(4));
        seen[i] = (struct seen){START + below(seconds * 1000) * 1000000 + below(1000000),
                                1 + below(1000000), (uint32_t)below(3)};
        stacks_add(&profile->stacks, node, (uint32_t)i % STACK_GROUPS, seen[i].weight);
        times_add(profile, node, (uint32_t)i % STACK_GROUPS, seen[i].weight, seen[i].at_ns,
                  seen[i].cpu);
    }
    profile->totals.samples = SAMPLES;
    profile->totals.user_ns = 1000000000;
}

static uint64_t weight_of(const struct stacks *stacks)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++)
        sum += stacks->weights.at[i];
    return sum;
}

static void coarsen(struct profile *profile)
{
    struct stacks coarse;
    if (!times_coarsen(&profile->times, &coarse))
        return;
    assert_false(times_coarsen(&coarse, &coarse));
    stacks_release(&profile->times);
    profile->times = coarse;
}

static void assert_same(const struct stacks *x, const struct stacks *y)
{
    assert_int_equal(x->cells.n, y->cells.n);
    uint32_t *in_y = mem_alloc((x->nodes.n + 1) * sizeof *in_y);
    for (uint32_t i = 0; i < x->nodes.n; i++) {
        struct stack_key key = stacks_key(x, i);
        key.parent = key.parent == STACK_NONE ? STACK_NONE : in_y[key.parent];
        in_y[i] = map_find(&y->nodes, &key);
        assert_int_not_equal(in_y[i], MAP_NONE);
    }
    for (uint32_t i = 0; i < x->cells.n; i++) {
        struct stack_cell cell = *(const struct stack_cell *)map_key(&x->cells, i);
        cell.node = in_y[cell.node];
        uint32_t at = map_find(&y->cells, &cell);
        assert_int_not_equal(at, MAP_NONE);
        assert_int_equal(x->weights.at[i], y->weights.at[at]);
    }
    mem_free(in_y);
}

static void test_the_whole_run_has_the_stacks_as_they_are(void **unused)
{
    static struct seen seen[SAMPLES];
    struct profile part, whole;
    struct err err;
    (void)unused;
    some_run(&part, seen, 40);
    state = 7;
    some_run(&whole, seen, 40);
    coarsen(&part);
    assert_true(profile_weigh_part(&part, (struct time_part){0, UINT64_MAX}, &err));
    assert_int_equal(part.mode, PROFILE_PLAIN);
    assert_same(&whole.stacks, &part.stacks);
    assert_int_equal(part.totals.interrupts, SAMPLES);
    assert_int_equal(part.totals.user_ns, 1000000000);
    profile_release(&part);
    profile_release(&whole);
}

/* Of all slices: they are coarse. */
static uint64_t slice_wide(const struct stacks *times)
{
    const struct stack_cell *cell = map_key(&times->cells, 0);
    return (uint64_t)1 << slice_bits(stacks_key(times, cell->node).address);
}

/* A moment that was printed in milliseconds lies a little before or behind the end of its slice. */
static void test_parts_between_printed_moments_add_up(void **unused)
{
    static struct seen seen[SAMPLES];
    (void)unused;
    for (int64_t off_ns = -500000; off_ns <= 500000; off_ns += 500000) {
        struct profile parts[2];
        struct err err;
        uint64_t whole = 0, end = 0;
        for (int i = 0; i < 2; i++) {
            state = 7;
            some_run(&parts[i], seen, 40);
            coarsen(&parts[i]);
            whole = weight_of(&parts[i].stacks);
            struct time_part first = times_span(&parts[i].times);
            uint64_t wide = slice_wide(&parts[i].times);
            end = first.begin_ns + 5 * wide + (uint64_t)off_ns;
            assert_true(profile_weigh_part(
                &parts[i], i ? (struct time_part){end, UINT64_MAX} : (struct time_part){0, end},
                &err));
        }
        assert_int_equal(weight_of(&parts[0].stacks) + weight_of(&parts[1].stacks), whole);
        profile_release(&parts[0]);
        profile_release(&parts[1]);
    }
}

static void test_a_part_has_the_samples_of_its_slices(void **unused)
{
    static struct seen seen[SAMPLES];
    (void)unused;
    for (uint64_t from = 0; from < 30; from += 7) {
        struct profile profile;
        struct err err;
        uint64_t want = 0;
        state = 7;
        some_run(&profile, seen, 40);
        coarsen(&profile);
        struct time_part wanted = {START + from * 1000000000u, START + (from + 3) * 1000000000u};
        assert_true(profile_weigh_part(&profile, wanted, &err));
        assert_true(profile.part.begin_ns <= wanted.begin_ns &&
                    profile.part.end_ns >= wanted.end_ns);
        assert_true(profile.part.end_ns - profile.part.begin_ns < 4000000000u);
        for (int i = 0; i < SAMPLES; i++)
            if (seen[i].at_ns >= profile.part.begin_ns && seen[i].at_ns < profile.part.end_ns)
                want += seen[i].weight;
        assert_int_equal(weight_of(&profile.stacks), want);
        profile_release(&profile);
    }
}

static size_t slices_of(const struct stacks *times)
{
    struct map seen;
    map_init(&seen, sizeof(uint64_t));
    for (uint32_t i = 0; i < times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&times->cells, i);
        uint64_t slice = slice_begin_ns(stacks_key(times, cell->node).address);
        map_add(&seen, &slice);
    }
    size_t n = seen.n;
    map_release(&seen);
    return n;
}

/* However recordings are merged, and whenever slices are made coarser. */
static void test_slices_are_few_whatever_is_merged(void **unused)
{
    static struct seen seen[SAMPLES];
    struct profile a[3], b[3];
    struct err err;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        uint64_t from = state;
        some_run(&a[i], seen, (uint64_t[]){3, 900, 70}[i]);
        state = from;
        some_run(&b[i], seen, (uint64_t[]){3, 900, 70}[i]);
    }
    assert_true(profile_merge(&a[0], &a[1], &err) && profile_merge(&a[0], &a[2], &err));
    coarsen(&a[0]);
    for (int i = 0; i < 3; i++)
        coarsen(&b[i]);
    assert_true(profile_merge(&b[2], &b[1], &err));
    coarsen(&b[2]);
    assert_true(profile_merge(&b[0], &b[2], &err));
    coarsen(&b[0]);
    assert_same(&a[0].times, &b[0].times);
    assert_int_equal(weight_of(&a[0].times), weight_of(&a[0].stacks));
    assert_in_range(slices_of(&a[0].times), 65, TIME_SLICES_MAX);
    for (int i = 0; i < 3; i++) {
        profile_release(&a[i]);
        profile_release(&b[i]);
    }
}

/* Each CPU has the weight of its samples, whether slices were made coarser or not, and so has each
 * CPU of a part. */
static void test_cpus_have_their_samples(void **unused)
{
    static struct seen seen[SAMPLES];
    (void)unused;
    for (int with_part = 0; with_part < 2; with_part++) {
        struct profile profile;
        struct err err;
        uint64_t want[3] = {0}, got[3] = {0};
        state = 7;
        some_run(&profile, seen, 40);
        coarsen(&profile);
        struct time_part wanted = {START + 5000000000u, START + 9000000000u};
        if (with_part)
            assert_true(profile_weigh_part(&profile, wanted, &err));
        for (int i = 0; i < SAMPLES; i++)
            if (!with_part ||
                (seen[i].at_ns >= profile.part.begin_ns && seen[i].at_ns < profile.part.end_ns))
                want[seen[i].cpu] += seen[i].weight;
        assert_true(profile_split_cpus(&profile, &err));
        for (uint32_t i = 0; i < profile.stacks.cells.n; i++) {
            uint32_t root = ((const struct stack_cell *)map_key(&profile.stacks.cells, i))->node;
            while (stacks_key(&profile.stacks, root).parent != STACK_NONE)
                root = stacks_key(&profile.stacks, root).parent;
            uint32_t cpu = stacks_key(&profile.stacks, root).module;
            assert_in_range(cpu, 0, 2);
            got[cpu] += profile.stacks.weights.at[i];
        }
        assert_memory_equal(got, want, sizeof want);
        profile_release(&profile);
    }
}

static void test_a_cpu_may_be_unknown(void **unused)
{
    struct profile profile;
    struct err err;
    (void)unused;
    profile_init(&profile);
    profile.mode = PROFILE_SAMPLED;
    uint32_t code = profile_module(&profile, "/bin/x", NULL, 0);
    uint32_t root = stacks_node(&profile.stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    uint32_t node = stacks_node(&profile.stacks, root, code, 0x1000);
    times_add(&profile, node, 0, 5, START, SLICE_CPU_NONE);
    assert_false(profile_split_cpus(&profile, &err));
    assert_non_null(strstr(err.text, "older gait"));
    times_add(&profile, node, 0, 7, START, 32000);
    assert_true(profile_split_cpus(&profile, &err));
    struct stack_key none = {STACK_NONE, SLICE_CPU_NONE, stack_thread(1, 1)}, known = none;
    known.module = 32000;
    assert_int_not_equal(map_find(&profile.stacks.nodes, &none), MAP_NONE);
    assert_int_not_equal(map_find(&profile.stacks.nodes, &known), MAP_NONE);
    assert_int_equal(weight_of(&profile.stacks), 12);
    profile_release(&profile);
}

static void test_what_cannot_be_shown_is_said(void **unused)
{
    static struct seen seen[SAMPLES];
    struct profile profile;
    struct err err;
    (void)unused;
    some_run(&profile, seen, 2);
    assert_false(profile_weigh_part(&profile, (struct time_part){1, 2}, &err));
    assert_non_null(strstr(err.text, "nothing was sampled"));
    assert_int_equal(profile.mode, PROFILE_SAMPLED);
    profile_release(&profile);
    profile_init(&profile);
    assert_false(profile_weigh_part(&profile, (struct time_part){0, UINT64_MAX}, &err));
    assert_non_null(strstr(err.text, "exact"));
    profile_release(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_whole_run_has_the_stacks_as_they_are),
        cmocka_unit_test(test_parts_between_printed_moments_add_up),
        cmocka_unit_test(test_a_part_has_the_samples_of_its_slices),
        cmocka_unit_test(test_slices_are_few_whatever_is_merged),
        cmocka_unit_test(test_cpus_have_their_samples),
        cmocka_unit_test(test_a_cpu_may_be_unknown),
        cmocka_unit_test(test_what_cannot_be_shown_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
