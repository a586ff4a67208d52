#include "compress/hotlist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { N = 10000, RUNS = 200, KINDS = 3 };

/* 30 % of one value, 10, 3 and 1 % of others, and the rest near-unique. */
static uint64_t draw(struct random *random)
{
    uint64_t u = random_below(random, 100);
    return u < 30 ? 1 : u < 40 ? 2 : u < 43 ? 3 : u < 44 ? 4 : 100 + random_below(random, 1000000);
}

static const struct hotlist_estimate *find(const struct hotlist_estimate *estimates, size_t n,
                                           uint64_t value)
{
    for (size_t i = 0; i < n; i++)
        if (estimates[i].value == value)
            return &estimates[i];
    return NULL;
}

struct seen {
    uint64_t sum, inside, certain;
};

/* What a list of the stream says of the value 1, over many runs. */
static struct seen look(enum hotlist_kind kind)
{
    struct seen seen = {0};
    struct random random = {42 + kind};
    for (int run = 0; run < RUNS; run++) {
        struct hotlist list;
        hotlist_init(&list, kind);
        uint64_t truth = 0;
        for (int i = 0; i < N; i++) {
            uint64_t value = draw(&random);
            truth += value == 1;
            hotlist_insert(&list, value, &random);
        }
        assert_int_equal(list.total, N);
        struct hotlist_estimate estimates[HOTLIST_VALUES];
        size_t n = hotlist_estimates(&list, estimates);
        assert_in_range(n, 1, HOTLIST_VALUES);
        for (size_t i = 1; i < n; i++)
            assert_true(estimates[i - 1].count >= estimates[i].count);
        const struct hotlist_estimate *one = find(estimates, n, 1);
        if (!one)
            continue;
        seen.sum += one->count;
        seen.inside += one->lo <= truth && truth <= one->hi;
        seen.certain += one->certain;
    }
    return seen;
}

static void concise_is_unbiased(void **state)
{
    (void)state;
    struct seen seen = look(HOTLIST_CONCISE);
    /* A run's standard deviation is 38 %: the mean's is 80. */
    assert_in_range(seen.sum / RUNS, 2700, 3300);
    assert_in_range(seen.inside, RUNS * 82 / 100, RUNS);
}

static void counting_is_close(void **state)
{
    (void)state;
    struct seen seen = look(HOTLIST_COUNTING);
    assert_in_range(seen.sum / RUNS, 2300, 3300);
    assert_in_range(seen.inside, RUNS * 88 / 100, RUNS);
}

static void space_saving_is_certain(void **state)
{
    (void)state;
    struct seen seen = look(HOTLIST_SPACE_SAVING);
    assert_int_equal(seen.inside, RUNS);
    assert_int_equal(seen.certain, RUNS);
    assert_in_range(seen.sum / RUNS, 2300, 3000);
}

/* As long as all fit, every kind is exact. */
static void few_values_are_counted(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct hotlist list;
        struct random random = {1};
        hotlist_init(&list, (enum hotlist_kind)kind);
        for (uint64_t i = 0; i < 1600; i++)
            hotlist_insert(&list, i % HOTLIST_VALUES * (i % HOTLIST_VALUES), &random);
        struct hotlist_estimate estimates[HOTLIST_VALUES];
        assert_int_equal(hotlist_estimates(&list, estimates), HOTLIST_VALUES);
        for (uint64_t i = 0; i < HOTLIST_VALUES; i++) {
            assert_int_equal(estimates[i].value, i * i);
            assert_int_equal(estimates[i].count, 100);
            assert_int_equal(estimates[i].lo, 100);
            assert_int_equal(estimates[i].hi, 100);
            assert_true(estimates[i].certain);
        }
    }
}

/* A list that has one value a thousand million times is thinned at once, not instance by instance.
 */
static void huge_counts_are_thinned_at_once(void **state)
{
    (void)state;
    struct random random = {9};
    struct hotlist list;
    hotlist_init(&list, HOTLIST_CONCISE);
    list = (struct hotlist){.kind = HOTLIST_CONCISE,
                            .total = 1000000000,
                            .threshold = list.threshold,
                            .failure = list.failure,
                            .most = list.most,
                            .n = 1,
                            .values = {7},
                            .counts = {1000000000}};
    for (uint64_t i = 0; i < HOTLIST_VALUES; i++)
        hotlist_insert(&list, 100 + i, &random);
    struct hotlist_estimate estimates[HOTLIST_VALUES];
    assert_true(hotlist_estimates(&list, estimates) >= 1);
    assert_int_equal(estimates[0].value, 7);
    assert_in_range(estimates[0].count, 999000000, 1001000000);
}

static void geometric_has_its_mean(void **state)
{
    (void)state;
    static const struct {
        uint64_t numerator, denominator;
        double mean;
    } cases[] = {{1, 1, 0},   {1, 2, 1},     {15, 16, 1. / 15},
                 {1, 16, 15}, {1, 256, 255}, {1, 1000000, 999999}};
    struct random random = {5};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t failure = random_failure(cases[i].numerator, cases[i].denominator);
        double sum = 0;
        for (int draws = 0; draws < 50000; draws++)
            sum += (double)random_geometric(&random, failure);
        double off = sum / 50000 - cases[i].mean;
        assert_true((off < 0 ? -off : off) <= 0.03 * cases[i].mean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concise_is_unbiased),
        cmocka_unit_test(counting_is_close),
        cmocka_unit_test(space_saving_is_certain),
        cmocka_unit_test(few_values_are_counted),
        cmocka_unit_test(huge_counts_are_thinned_at_once),
        cmocka_unit_test(geometric_has_its_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
