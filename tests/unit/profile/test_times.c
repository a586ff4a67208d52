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
                                1 + below(1000000)};
        stacks_add(&profile->stacks, node, (uint32_t)i % STACK_GROUPS, seen[i].weight);
        times_add(profile, node, (uint32_t)i % STACK_GROUPS, seen[i].weight, seen[i].at_ns);
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
        uint64_t slice = stacks_key(times, cell->node).address;
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
        cmocka_unit_test(test_a_part_has_the_samples_of_its_slices),
        cmocka_unit_test(test_slices_are_few_whatever_is_merged),
        cmocka_unit_test(test_what_cannot_be_shown_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
