/* Counts of one pass against those of looking at every two instructions. */
#include "model/pmu/truth.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "feed.h"

struct seen {
    struct truth truth;
    struct {
        VEC(struct core_times);
    } times;
    struct {
        VEC(uint64_t);
    } at;
};

static void see(void *context, const struct pmu_step *step)
{
    struct seen *seen = context;
    truth_see(&seen->truth, step);
    *vec_push(&seen->times) = *step->times;
    *vec_push(&seen->at) = step->fact->at.v;
}

static void same_as_all_pairs(void **state)
{
    (void)state;
    /* mov rax,[rbx]; add rcx,rax; imul rdx,rcx; test rax,rax; jne +1; nop; jmp */
    static const struct feed_insn list[] = {FEED_FAR("\x48\x8b\x03"), FEED("\x48\x01\xc1"),
                                            FEED("\x48\x0f\xaf\xd1"), FEED("\x48\x85\xc0"),
                                            FEED("\x75\x01"),         FEED("\x90"),
                                            FEED("\xeb\xee")};
    enum { N = sizeof list / sizeof *list };
    static struct feed feed;
    struct seen seen = {0};
    truth_init(&seen.truth);
    feed_open(&feed, "zen3", list, N);
    feed.see = see;
    feed.context = &seen;
    for (int i = 0; i < 300; i++)
        feed_turn(&feed);
    truth_finish(&seen.truth);
    assert_int_equal(seen.truth.lost, 0);
    uint64_t aborted = 0, all = 0;
    for (int p = 0; p < N; p++) {
        struct truth_row row = {0};
        for (size_t i = 0; i < seen.times.n; i++) {
            const struct core_times *a = &seen.times.at[i];
            if (seen.at.at[i] != feed.at[p])
                continue;
            row.fetched++;
            row.retired += a->retire != 0;
            if (a->complete)
                row.in_progress += a->complete - a->fetch;
            for (size_t j = 0; j < seen.times.n; j++) {
                const struct core_times *b = &seen.times.at[j];
                row.overlap +=
                    i != j && b->retire && b->issue >= a->fetch && b->issue < a->complete;
            }
        }
        const struct truth_row *got = truth_find(&seen.truth, (struct avma){feed.at[p]});
        assert_non_null(got);
        assert_int_equal(got->fetched, row.fetched);
        assert_int_equal(got->retired, row.retired);
        assert_int_equal(got->in_progress, row.in_progress);
        assert_int_equal(got->overlap, row.overlap);
        aborted += row.fetched - row.retired;
        all += row.overlap;
    }
    assert_true(aborted > 100 && all > 1000);
    assert_null(truth_find(&seen.truth, (struct avma){1}));
    truth_release(&seen.truth);
    vec_release(&seen.times);
    vec_release(&seen.at);
    feed_close(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
