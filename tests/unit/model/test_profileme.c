/* What is chosen, what records hold, and what they estimate. */
#include "model/pmu/profileme.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/vec.h"
#include "model/pmu/truth.h"

#include "feed.h"

#include <math.h>

struct taken {
    VEC(struct sample);
    size_t largest; /* delivery */
};

static void take(void *context, const struct sample *samples, size_t n)
{
    struct taken *taken = context;
    for (size_t i = 0; i < n; i++)
        *vec_push(taken) = samples[i];
    taken->largest = n > taken->largest ? n : taken->largest;
}

/* ---- times that are made up */

/* Four a cycle, each in flight for `cycles`. */
static void steady(struct profileme *unit, uint64_t n, uint64_t cycles)
{
    static const struct core_insn insn = {.kind = INSN_PLAIN};
    for (uint64_t i = 0; i < n; i++) {
        struct core_fact fact = {.at = {i}, .next = {i + 1}};
        uint64_t fetch = i / 4;
        struct core_times times = {.fetch = fetch,
                                   .dispatch = fetch + 1,
                                   .ready = fetch + 2,
                                   .issue = fetch + 3,
                                   .complete = fetch + 4,
                                   .retire = fetch + cycles};
        struct pmu_step step = {&insn, &fact, &times, i, false};
        profileme_see(unit, &step);
    }
}

static void interval_is_the_mean(void **state)
{
    (void)state;
    struct taken taken = {0};
    struct profileme_setup setup = {
        .interval = 100, .tags = 4, .buffer = 8, .history_bits = 5, .context = 7, .seed = 3};
    struct profileme *unit = profileme_make(&setup, take, &taken);
    steady(unit, 100000, 10);
    profileme_finish(unit);
    const struct profileme_counts *counts = profileme_counts(unit);
    assert_int_equal(counts->fetched, 100000);
    assert_int_equal(counts->chosen, counts->delivered);
    assert_in_range(counts->delivered, 970, 1030);
    assert_int_equal(counts->interrupts, (counts->delivered + 7) / 8);
    assert_int_equal(taken.largest, 8);
    uint64_t last = 0;
    for (size_t i = 0; i < taken.n; i++) {
        const struct sample *sample = &taken.at[i];
        uint64_t at = sample->at[SAMPLE_PC];
        assert_in_range(at + 1 - last, 50, 150);
        assert_int_equal(sample->at[SAMPLE_HISTORY], at & 31);
        assert_int_equal(sample->at[SAMPLE_TICKS], at / 4);
        assert_int_equal(sample->at[SAMPLE_TID], 7);
        assert_int_equal(sample->at[SAMPLE_WEIGHT], 100);
        assert_int_equal(sample->at[SAMPLE_MAP], 1);
        assert_int_equal(sample->at[SAMPLE_DONE], 4);
        assert_int_equal(sample->at[SAMPLE_RETIRE], 10);
        assert_false(sample_knows(sample, SAMPLE_MEMORY));
        last = at + 1;
    }
    profileme_free(unit);
    vec_release(&taken);
}

/* In flight for 60 cycles are 240 instructions: with one tag a selection 50 to 150 behind the last
 * cannot be followed. */
static void tags_collide(void **state)
{
    (void)state;
    for (uint32_t tags = 1; tags <= 8; tags += 7) {
        struct taken taken = {0};
        struct profileme_setup setup = {.interval = 100, .tags = tags, .buffer = 1, .seed = 3};
        struct profileme *unit = profileme_make(&setup, take, &taken);
        steady(unit, 100000, 60);
        profileme_finish(unit);
        const struct profileme_counts *counts = profileme_counts(unit);
        assert_int_equal(counts->chosen, counts->delivered + counts->collided);
        if (tags == 1)
            assert_in_range(counts->collided, 500, 800);
        else
            assert_int_equal(counts->collided, 0);
        for (size_t i = 1; i < taken.n && tags == 1; i++)
            assert_true(taken.at[i].at[SAMPLE_TICKS] - taken.at[i - 1].at[SAMPLE_TICKS] >= 60);
        profileme_free(unit);
        vec_release(&taken);
    }
}

static void pairs_are_apart(void **state)
{
    (void)state;
    struct taken taken = {0};
    struct profileme_setup setup = {
        .interval = 500, .window = 20, .tags = 2, .buffer = 4, .seed = 3};
    struct profileme *unit = profileme_make(&setup, take, &taken);
    steady(unit, 1000000, 10);
    profileme_finish(unit);
    uint32_t seen[21] = {0};
    assert_int_equal(taken.n, 2 * profileme_counts(unit)->delivered);
    assert_int_equal(taken.largest, 8);
    for (size_t i = 0; i < taken.n; i += 2) {
        const uint64_t *first = taken.at[i].at, *second = taken.at[i + 1].at;
        assert_int_equal(first[SAMPLE_PAIR], second[SAMPLE_PAIR]);
        assert_int_equal(second[SAMPLE_PC] - first[SAMPLE_PC], second[SAMPLE_DISTANCE]);
        assert_int_equal(second[SAMPLE_APART], second[SAMPLE_PC] / 4 - first[SAMPLE_PC] / 4);
        assert_in_range(second[SAMPLE_DISTANCE], 1, 20);
        seen[second[SAMPLE_DISTANCE]]++;
    }
    for (int i = 1; i <= 20; i++)
        assert_in_range(seen[i], 60, 140);
    profileme_free(unit);
    vec_release(&taken);
}

/* Three of four opportunities hold an instruction, and every third cycle nothing is fetched: the
 * rest is empty, or behind a taken branch. */
static void opportunities_may_be_empty(void **state)
{
    (void)state;
    struct taken taken = {0};
    struct profileme_setup setup = {
        .interval = 50, .tags = 8, .buffer = 1, .opportunities = 4, .seed = 3};
    struct profileme *unit = profileme_make(&setup, take, &taken);
    struct core_insn plain = {.kind = INSN_PLAIN}, jump = {.kind = INSN_JUMP};
    for (uint64_t i = 0; i < 60000; i++) {
        uint64_t cycle = i / 3 * 3 / 2;
        struct core_fact fact = {.at = {i}, .next = {i + 1}, .taken = i % 6 == 5};
        struct core_times times = {.fetch = cycle, .retire = cycle + 9};
        struct pmu_step step = {i % 6 == 5 ? &jump : &plain, &fact, &times, 0, false};
        profileme_see(unit, &step);
    }
    profileme_finish(unit);
    /* In three cycles six instructions, one opportunity behind a branch, one behind none, and four
     * of an empty cycle. */
    const struct profileme_counts *counts = profileme_counts(unit);
    assert_in_range(counts->delivered, 60000 / 50 - 80, 60000 / 50 + 80);
    assert_in_range(counts->empty, 50000 / 50 - 80, 50000 / 50 + 80);
    assert_in_range(counts->off_path, 10000 / 50 - 50, 10000 / 50 + 50);
    assert_int_equal(counts->chosen,
                     counts->delivered + counts->empty + counts->off_path + counts->collided);
    profileme_free(unit);
    vec_release(&taken);
}

static void gap_cuts_pairs(void **state)
{
    (void)state;
    struct taken taken = {0};
    struct profileme_setup setup = {.interval = 2, .window = 1000, .tags = 2, .buffer = 1};
    struct profileme *unit = profileme_make(&setup, take, &taken);
    steady(unit, 10, 4);
    profileme_gap(unit);
    assert_int_equal(profileme_counts(unit)->cut, 1);
    steady(unit, 100, 4);
    profileme_finish(unit);
    assert_int_equal(profileme_counts(unit)->cut, 2);
    assert_int_equal(profileme_counts(unit)->delivered, taken.n / 2);
    profileme_free(unit);
    vec_release(&taken);
}

/* ---- a core */

struct both {
    struct profileme *unit;
    struct truth truth;
};

static void both_see(void *context, const struct pmu_step *step)
{
    struct both *both = context;
    profileme_see(both->unit, step);
    truth_see(&both->truth, step);
}

/* mov rax,[rbx]; add rcx,rax; imul rdx,rcx; add rsi,1; test rax,rax; jne +1; nop; add rdi,1; jmp */
static const struct feed_insn loop[] = {FEED_FAR("\x48\x8b\x03"),
                                        FEED("\x48\x01\xc1"),
                                        FEED("\x48\x0f\xaf\xd1"),
                                        FEED("\x48\x83\xc6\x01"),
                                        FEED("\x48\x85\xc0"),
                                        FEED("\x75\x01"),
                                        FEED("\x90"),
                                        FEED("\x48\x83\xc7\x01"),
                                        FEED("\xeb\xe6")};
enum { LOOP = sizeof loop / sizeof *loop, WINDOW = 400, INTERVAL = 64, WIDTH = 4 };

struct estimate {
    double retired, misses, in_progress, useful;
};

static bool useful(const uint64_t *self, const uint64_t *other, int64_t apart)
{
    int64_t issue = (int64_t)other[SAMPLE_ISSUE] + apart;
    return other[SAMPLE_EVENTS] >> EVENT_RETIRED & 1 && issue >= 0 &&
           issue < (int64_t)self[SAMPLE_DONE];
}

static void estimate_add(struct estimate *to, const struct taken *taken, uint64_t at)
{
    for (size_t i = 0; i < taken->n; i += 2)
        for (int side = 0; side < 2; side++) {
            const struct sample *self = &taken->at[i + (size_t)side];
            const struct sample *other = &taken->at[i + (size_t)!side];
            int64_t apart = (int64_t)taken->at[i + 1].at[SAMPLE_APART] * (side ? -1 : 1);
            if (self->at[SAMPLE_PC] != at)
                continue;
            to->retired += INTERVAL / 2.0 * sample_happened(self, EVENT_RETIRED);
            to->misses +=
                INTERVAL / 2.0 *
                (sample_happened(self, EVENT_RETIRED) && sample_happened(self, EVENT_L1_MISS));
            if (!sample_knows(self, SAMPLE_DONE))
                continue;
            to->in_progress += INTERVAL / 2.0 * (double)self->at[SAMPLE_DONE];
            to->useful += (double)INTERVAL * WINDOW * useful(self->at, other->at, apart);
        }
}

static void near(double estimate, double exact, double relative)
{
    if (fabs(estimate - exact) > relative * exact)
        fail_msg("%f is not %f within %f", estimate, exact, relative);
}

/* L C S / 2 - U W S against what the model wasted. The bounds are four standard deviations of so
 * many records. */
static void pairs_estimate_what_is_exact(void **state)
{
    (void)state;
    static struct feed feed;
    struct taken taken = {0};
    struct both both = {0};
    struct profileme_setup setup = {
        .interval = INTERVAL, .window = WINDOW, .tags = 16, .buffer = 100, .seed = 11};
    both.unit = profileme_make(&setup, take, &taken);
    truth_init(&both.truth);
    feed_open(&feed, "21264", loop, LOOP);
    feed.see = both_see;
    feed.context = &both;
    for (int i = 0; i < 30000; i++)
        feed_turn(&feed);
    profileme_finish(both.unit);
    truth_finish(&both.truth);
    /* Selections that found no tag are known, and the rest stands for them. */
    const struct profileme_counts *counts = profileme_counts(both.unit);
    double scale = (double)counts->fetched / INTERVAL / (double)counts->delivered;
    assert_true(counts->fetched > both.truth.retired + 10000);
    for (int i = 0; i < LOOP; i++) {
        const struct truth_row *row = truth_find(&both.truth, (struct avma){feed.at[i]});
        struct estimate estimate = {0};
        estimate_add(&estimate, &taken, feed.at[i]);
        double k = (double)row->retired / INTERVAL;
        near(scale * estimate.retired, (double)row->retired, 4 / sqrt(k));
        near(scale * estimate.in_progress, (double)row->in_progress, 8 / sqrt(k));
        near(scale * estimate.useful, (double)row->overlap,
             4 / sqrt((double)row->overlap / INTERVAL / WINDOW));
        near(scale * (estimate.in_progress * WIDTH - estimate.useful),
             (double)(row->in_progress * WIDTH - row->overlap), 8 / sqrt(k));
    }
    /* Products have one port, the second. */
    for (size_t i = 0; i < taken.n; i++)
        if (taken.at[i].at[SAMPLE_PC] == feed.at[2] && sample_happened(&taken.at[i], EVENT_RETIRED))
            assert_int_equal(taken.at[i].at[SAMPLE_UNIT], 1);
    struct estimate load = {0};
    const struct truth_row *row = truth_find(&both.truth, (struct avma){feed.at[0]});
    estimate_add(&load, &taken, feed.at[0]);
    near(scale * load.misses, (double)row->l1d_misses,
         4 / sqrt((double)row->l1d_misses / INTERVAL));
    profileme_free(both.unit);
    truth_release(&both.truth);
    vec_release(&taken);
    feed_close(&feed);
}

/* How far apart two are in the program's course is counted without what was thrown away, and only
 * of those that retired. */
static void steps_are_of_those_that_retired(void **state)
{
    (void)state;
    static struct feed feed;
    struct taken taken = {0};
    struct both both = {0};
    struct profileme_setup setup = {.interval = INTERVAL, .window = 20, .tags = 16, .buffer = 2};
    uint32_t next = 0, behind = 0;
    both.unit = profileme_make(&setup, take, &taken);
    truth_init(&both.truth);
    feed_open(&feed, "21264", loop, LOOP);
    feed.see = both_see;
    feed.context = &both;
    for (int i = 0; i < 20000; i++)
        feed_turn(&feed);
    profileme_finish(both.unit);
    for (size_t i = 0; i < taken.n; i += 2) {
        const struct sample *first = &taken.at[i], *second = &taken.at[i + 1];
        bool both_retired =
            sample_happened(first, EVENT_RETIRED) && sample_happened(second, EVENT_RETIRED);
        assert_int_equal(sample_knows(second, SAMPLE_STEPS), both_retired);
        if (!both_retired)
            continue;
        assert_true(second->at[SAMPLE_STEPS] >= 1 &&
                    second->at[SAMPLE_STEPS] <= second->at[SAMPLE_DISTANCE]);
        if (second->at[SAMPLE_STEPS] != 1)
            continue;
        next++;
        behind += second->at[SAMPLE_DISTANCE] > 1;
        if (second->at[SAMPLE_DISTANCE] > 1) /* then what was thrown away lay between */
            assert_true(sample_happened(first, EVENT_MISPREDICTED));
    }
    assert_true(next > 100 && behind > 0);
    profileme_free(both.unit);
    truth_release(&both.truth);
    vec_release(&taken);
    feed_close(&feed);
}

static void groups_follow_each_other(void **state)
{
    (void)state;
    enum { TOGETHER = 4, FAR = 20 };
    struct taken taken = {0};
    struct profileme_setup setup = {.interval = 200,
                                    .window = FAR,
                                    .group = TOGETHER,
                                    .tags = 64,
                                    .buffer = 3,
                                    .history_bits = 5,
                                    .seed = 3};
    struct profileme *unit = profileme_make(&setup, take, &taken);
    steady(unit, 100000, 10);
    profileme_finish(unit);
    const struct profileme_counts *counts = profileme_counts(unit);
    assert_in_range(counts->delivered, 450, 550);
    assert_int_equal(counts->collided, 0);
    assert_int_equal(taken.n, TOGETHER * counts->delivered);
    assert_int_equal(taken.largest, 3 * TOGETHER);
    assert_int_equal(counts->interrupts, (counts->delivered + 2) / 3);
    for (size_t i = 0; i < taken.n; i++) {
        const struct sample *first = &taken.at[i - i % TOGETHER], *at = &taken.at[i];
        uint64_t apart = at->at[SAMPLE_PC] - first->at[SAMPLE_PC];
        assert_int_equal(at->at[SAMPLE_PAIR], i / TOGETHER);
        assert_int_equal(at->at[SAMPLE_DISTANCE], apart);
        assert_int_equal(at->at[SAMPLE_STEPS], apart);
        assert_in_range(apart, i % TOGETHER, i % TOGETHER * FAR);
    }
    profileme_free(unit);
    vec_release(&taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_is_the_mean),
        cmocka_unit_test(tags_collide),
        cmocka_unit_test(pairs_are_apart),
        cmocka_unit_test(groups_follow_each_other),
        cmocka_unit_test(opportunities_may_be_empty),
        cmocka_unit_test(gap_cuts_pairs),
        cmocka_unit_test(pairs_estimate_what_is_exact),
        cmocka_unit_test(steps_are_of_those_that_retired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
