/* Metrics of pairs against a count of everything that happened: a made-up machine whose every
 * instruction is known. */
#include "records/named.h"

#include "base/err.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 4000, PLACES = 23, WINDOW = 40, WIDTH = 4, CYCLES = 15 };

static const struct parameter parameters[] = {
    {"width", WIDTH}, {"window", WINDOW}, {"cycles", CYCLES}, {NULL, 0}};

/* When each was fetched, issued, ready to retire and retired. */
struct ran {
    uint64_t place, fetch, issue, done, retire;
    bool retired, missed;
};
static struct ran all[N];

static uint64_t some_state = 1;

static uint64_t some_below(uint64_t n)
{
    some_state = some_state * 6364136223846793005u + 1442695040888963407u;
    return (some_state >> 33) % n;
}

static int run_make(void **state)
{
    (void)state;
    uint64_t last = 0;
    for (int i = 0; i < N; i++) {
        struct ran *ran = &all[i];
        ran->place = some_below(4) ? (uint64_t)i % PLACES : some_below(PLACES);
        ran->missed = ran->place % 5 == 0 && some_below(3) == 0;
        ran->fetch = (uint64_t)i / 3 + 10;
        ran->issue = ran->fetch + 3 + some_below(12);
        ran->done = ran->issue + 1 + (ran->missed ? 30 : 0) + some_below(4);
        ran->retired = some_below(10) != 0;
        last = ran->retire = ran->done > last ? ran->done : last;
    }
    return 0;
}

static struct sample sample_of(const struct ran *ran, uint64_t weight)
{
    struct sample sample = {0};
    sample_set(&sample, SAMPLE_ORIGIN, ORIGIN_MODEL);
    sample_set(&sample, SAMPLE_MODULE, 0);
    sample_set(&sample, SAMPLE_PC, ran->place);
    sample_set(&sample, SAMPLE_WEIGHT, weight);
    sample_set(&sample, SAMPLE_FETCH, 0);
    sample_set(&sample, SAMPLE_ISSUE, ran->issue - ran->fetch);
    sample_set(&sample, SAMPLE_DONE, ran->done - ran->fetch);
    if (ran->retired)
        sample_set(&sample, SAMPLE_RETIRE, ran->retire - ran->fetch);
    sample_event(&sample, EVENT_RETIRED, ran->retired);
    sample_event(&sample, EVENT_L1_MISS, ran->missed);
    return sample;
}

static void pair_add(struct ledger *ledger, int first, int second, uint64_t weight)
{
    struct sample a = sample_of(&all[first], weight), b = sample_of(&all[second], weight);
    sample_set(&b, SAMPLE_APART, all[second].fetch - all[first].fetch);
    sample_set(&b, SAMPLE_DISTANCE, (uint64_t)(second - first));
    if (all[first].retired && all[second].retired) {
        uint64_t steps = 0;
        for (int i = first + 1; i <= second; i++)
            steps += all[i].retired;
        sample_set(&b, SAMPLE_STEPS, steps);
    }
    ledger_add_pair(ledger, &a, &b);
}

static size_t metric_index(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->metrics.n; i++)
        if (strcmp(ledger->metrics.at[i].metric->name, name) == 0)
            return i;
    fail();
    return 0;
}

static const struct metric_sum *sum_at(const struct ledger *ledger, uint64_t place,
                                       const char *name)
{
    uint64_t key[LEDGER_KEYS] = {0, place};
    uint32_t row = map_find(&ledger->keys, key);
    assert_int_not_equal(row, MAP_NONE);
    return &ledger->at[row].sums[metric_index(ledger, name)];
}

static bool useful(const struct ran *self, const struct ran *other)
{
    return other->retired && other->issue >= self->fetch && other->issue < self->done;
}

/* Instructions so near to the ends that part of their window is outside would not be seen from both
 * sides. */
static bool inside(int i)
{
    return i >= WINDOW && i < N - WINDOW;
}

/* Of one place: slots, useful others, by hit and miss, those retiring nearby. */
struct truth {
    double wasted, useful[2], n[2], near, retired;
};

static struct truth truth_of(uint64_t place)
{
    struct truth truth = {0};
    for (int i = 0; i < N; i++) {
        if (!inside(i) || all[i].place != place)
            continue;
        double others = 0, near = 1;
        for (int j = i - WINDOW; j <= i + WINDOW; j++) {
            int64_t between = (int64_t)all[i].retire - (int64_t)all[j].retire;
            others += j != i && useful(&all[i], &all[j]);
            near += j != i && all[j].retired && between < CYCLES && between > -CYCLES;
        }
        truth.wasted += (double)(all[i].done - all[i].fetch) * WIDTH - others;
        truth.useful[all[i].missed] += others;
        truth.n[all[i].missed]++;
        truth.near += all[i].retired ? near : 0;
        truth.retired += all[i].retired;
    }
    return truth;
}

/* Every pair of two within the window, once: a sampling rate of 1/window. Then estimates are what
 * was. */
static void all_pairs_are_the_truth(void **state)
{
    (void)state;
    struct ledger ledger;
    struct err err;
    assert_true(ledger_open(&ledger, metric_keys("place"), metrics_pairs, parameters, 1000, &err));
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j <= i + WINDOW && j < N; j++) {
            struct ran outside = {.place = 10000}, was[2] = {all[i], all[j]};
            /* Who is too near to an end is somebody else, but does what it did. */
            for (int side = 0; side < 2; side++)
                if (!inside(side ? j : i))
                    all[side ? j : i].place = outside.place;
            pair_add(&ledger, i, j, 1);
            all[i] = was[0];
            all[j] = was[1];
        }
    for (uint64_t place = 0; place < PLACES; place++) {
        struct truth truth = truth_of(place);
        double slots = sum_at(&ledger, place, "wasted_slots")->wx / WINDOW;
        assert_true(fabs(slots - truth.wasted) < 1e-6 * fabs(truth.wasted) + 1e-6);
        double mean = metric_mean(sum_at(&ledger, place, "concurrency_hit")).value;
        assert_true(fabs(mean - truth.useful[0] / truth.n[0]) < 1e-9 * mean);
        if (truth.n[1]) {
            mean = metric_mean(sum_at(&ledger, place, "concurrency_miss")).value;
            assert_true(fabs(mean - truth.useful[1] / truth.n[1]) < 1e-9 * mean);
        }
        mean = metric_mean(sum_at(&ledger, place, "ipc_near")).value;
        assert_true(fabs(mean - truth.near / truth.retired / (2 * CYCLES - 1)) < 1e-9 * mean);
    }
    ledger_release(&ledger);
}

/* How often one place retired right behind another, whatever was thrown away in between. */
static void edges_are_counted(void **state)
{
    (void)state;
    enum { FEW = 1000 };
    struct ledger ledger;
    struct err err;
    double truth[PLACES][PLACES] = {{0}};
    assert_true(ledger_open(&ledger, metric_keys("edge"), metrics_pairs, parameters, 1000, &err));
    assert_true(ledger_only(&ledger, METRIC_NEXT, parameters, &err));
    for (int i = 0; i < FEW; i++)
        for (int j = i + 1; j <= i + WINDOW && j < FEW; j++)
            pair_add(&ledger, i, j, 1);
    for (int i = 0, next; i + 1 < FEW; i = next) {
        for (next = i + 1; next < FEW && !all[next].retired;)
            next++;
        if (all[i].retired && next < FEW)
            truth[all[i].place][all[next].place]++;
    }
    size_t followed = metric_index(&ledger, "followed");
    for (size_t i = 0; i < ledger.n; i++) {
        const uint64_t *key = ledger_key(&ledger, i);
        assert_true(ledger.at[i].sums[followed].wx / WINDOW == truth[key[1]][key[3]]);
        truth[key[1]][key[3]] = 0;
    }
    for (int i = 0; i < PLACES * PLACES; i++)
        assert_true(truth[i / PLACES][i % PLACES] == 0);
    ledger_release(&ledger);
}

/* What is left out is in no sum, and known; of a pair each side is asked by itself. */
static void only_what_holds_is_added(void **state)
{
    (void)state;
    struct ledger ledger;
    struct err err;
    double truth[2] = {0};
    uint64_t sides = 0;
    assert_true(ledger_open(&ledger, metric_keys("all"), metrics_alone, parameters, 8, &err));
    assert_true(ledger_only(&ledger, "l1_miss && retired", parameters, &err));
    for (int i = 0; i + 1 < N; i += 2) {
        pair_add(&ledger, i, i + 1, 2);
        for (int k = i; k < i + 2; k++, sides++)
            truth[0] += all[k].missed && all[k].retired;
    }
    for (int i = 0; i < N; i++) {
        struct sample sample = sample_of(&all[i], 1);
        ledger_add(&ledger, &sample);
        truth[1] += all[i].missed && all[i].retired;
    }
    static const char *const same[] = {"fetched", "retired", "l1_misses"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(ledger.at[0].sums[metric_index(&ledger, same[i])].wx == truth[0] + truth[1]);
    assert_true(ledger.at[0].weight == truth[0] + truth[1]);
    assert_int_equal(ledger.left_out, sides + N - (uint64_t)(truth[0] + truth[1]));
    ledger_release(&ledger);
    assert_true(ledger_open(&ledger, metric_keys("all"), metrics_alone, parameters, 8, &err));
    assert_false(ledger_only(&ledger, "l1_miss &&", parameters, &err));
    ledger_release(&ledger);
}

/* Pairs taken at random: about 95 of 100 intervals hold what was. */
static void intervals_hold_the_truth(void **state)
{
    (void)state;
    int held = 0, asked = 0;
    for (int round = 0; round < 40; round++) {
        struct ledger ledger, alone;
        struct err err;
        enum { EVERY = 3 };
        assert_true(
            ledger_open(&ledger, metric_keys("place"), metrics_pairs, parameters, 1000, &err));
        assert_true(
            ledger_open(&alone, metric_keys("place"), metrics_alone, parameters, 1000, &err));
        for (int i = WINDOW; i < N - WINDOW; i++)
            if (some_below(EVERY) == 0) {
                struct sample one = sample_of(&all[i], EVERY);
                pair_add(&ledger, i, i + 1 + (int)some_below(WINDOW), EVERY);
                ledger_add(&alone, &one);
            }
        for (uint64_t place = 0; place < PLACES; place++) {
            struct truth truth = truth_of(place);
            struct metric_estimate wasted = metric_total(sum_at(&ledger, place, "wasted_slots"));
            struct metric_estimate retired = metric_total(sum_at(&alone, place, "retired"));
            held += wasted.lo <= truth.wasted && truth.wasted <= wasted.hi;
            held += retired.lo <= truth.retired && truth.retired <= retired.hi;
            asked += 2;
        }
        ledger_release(&ledger);
        ledger_release(&alone);
    }
    assert_in_range(held, asked * 91 / 100, asked);
}

/* However few rows there may be, everything is in one of them or in others, and what a row lacks is
 * bounded. */
static void space_is_bounded(void **state)
{
    (void)state;
    struct ledger small, large;
    struct err err;
    assert_true(ledger_open(&small, metric_keys("place"), metrics_alone, parameters, 8, &err));
    assert_true(ledger_open(&large, metric_keys("place"), metrics_alone, parameters, 5000, &err));
    for (int i = 0; i < N; i++) {
        struct ran ran = all[i];
        ran.place = some_below(2) ? some_below(3) : 100 + some_below(2000);
        struct sample one = sample_of(&ran, 7);
        ledger_add(&small, &one);
        ledger_add(&large, &one);
        assert_true(small.n <= 16);
    }
    double weight = small.others.weight, retired = small.others.sums[1].wx;
    for (size_t i = 0; i < small.n; i++) {
        const uint64_t *key = ledger_key(&small, i);
        uint32_t whole = map_find(&large.keys, key);
        weight += small.at[i].weight;
        retired += small.at[i].sums[1].wx;
        assert_true(small.at[i].weight <= large.at[whole].weight);
        assert_true(small.at[i].weight + small.missing_most >= large.at[whole].weight);
    }
    assert_true(weight == 7.0 * N);
    double whole = 0;
    for (size_t i = 0; i < large.n; i++)
        whole += large.at[i].sums[1].wx;
    assert_true(retired == whole);
    uint32_t *ranking = ledger_ranking(&small);
    for (int i = 0; i < 3; i++)
        assert_true(ledger_key(&small, ranking[i])[1] < 3);
    mem_free(ranking);
    ledger_release(&small);
    ledger_release(&large);
}

/* What is not measured is counted, and no number. */
static void unknown_is_not_zero(void **state)
{
    (void)state;
    struct ledger ledger;
    struct err err;
    struct sample one = {0};
    assert_true(ledger_open(&ledger, metric_keys("all"), metrics_alone, parameters, 8, &err));
    sample_event(&one, EVENT_RETIRED, true);
    ledger_add(&ledger, &one);
    const struct metric_sum *sum = &ledger.at[0].sums[metric_index(&ledger, "map_to_done")];
    assert_int_equal(sum->unknown, 1);
    assert_true(isnan(metric_mean(sum).value));
    assert_true(isnan(metric_total(sum).value));
    ledger_release(&ledger);
    assert_true(ledger_open(&ledger, metric_keys("line"), metrics_alone, parameters, 8, &err));
    ledger_add(&ledger, &one);
    assert_int_equal(ledger.n, 0);
    assert_int_equal(ledger.keyless, 1);
    ledger_release(&ledger);
    struct metric wrong[] = {{"odd", "", "pc +", NULL, true}, {NULL, NULL, NULL, NULL, false}};
    assert_false(ledger_open(&ledger, NULL, wrong, parameters, 8, &err));
    assert_non_null(strstr(err.text, "odd: expression"));
}

/* Every instruction begins a pair: asked about single ones, all pairs together are as many as there
 * are instructions, not twice that. */
static void pairs_stand_for_one(void **state)
{
    (void)state;
    struct err err;
    struct ledger ledger;
    /* The second asks whose other it is; still each is looked at alone. */
    const char *const by[] = {"place", "edge"};
    for (int k = 0; k < 2; k++) {
        double weight = 0, fetched = 0;
        assert_true(
            ledger_open(&ledger, metric_keys(by[k]), metrics_alone, parameters, 1024, &err));
        for (int i = 0; i + 7 < N; i++)
            pair_add(&ledger, i, i + 7, 3);
        for (size_t i = 0; i < ledger.n; i++) {
            weight += ledger.at[i].weight;
            fetched += metric_total(&ledger.at[i].sums[0]).value;
        }
        assert_true(fabs(weight - 3.0 * (N - 7)) < 1e-6);
        assert_true(fabs(fetched - 3.0 * (N - 7)) < 1e-6);
        ledger_release(&ledger);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_pairs_are_the_truth, run_make),
        cmocka_unit_test_setup(edges_are_counted, run_make),
        cmocka_unit_test_setup(only_what_holds_is_added, run_make),
        cmocka_unit_test_setup(intervals_hold_the_truth, run_make),
        cmocka_unit_test_setup(space_is_bounded, run_make),
        cmocka_unit_test(unknown_is_not_zero),
        cmocka_unit_test_setup(pairs_stand_for_one, run_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
