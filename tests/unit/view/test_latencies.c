/* Times of loads: means of few have wide intervals, or none, and what one slow load makes dear by
 * chance does not come first. */
#include "analysis/values/latencies.h"

#include <stddef.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "text/ink.h"
#include "view/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void timed_add(struct profile *profile, uint32_t module, uint64_t address,
                      const uint64_t *ticks, size_t n)
{
    struct latency_key loads = {module, LATENCY_MEMORY, {address}, 0}, squares = loads;
    squares.data = LATENCY_SQUARES;
    for (size_t i = 0; i < n; i++) {
        struct sums *sums = table_at(&profile->latencies, &loads);
        sums->count++;
        sums->time += ticks[i];
        table_at(&profile->latencies, &squares)->time += ticks[i] * ticks[i];
    }
}

struct timed {
    struct profile profile;
    struct scene scene;
    struct latency_view view;
};

enum { OFTEN = 0x1000, ONCE = 0x2000, TWICE = 0x3000, ALIKE = 0x4000 };

static void timed_open(struct timed *timed, bool few)
{
    static const uint64_t often[] = {300, 310, 320, 300, 290, 310}, once[] = {5000},
                          twice[] = {100, 200}, alike[] = {80, 80, 80};
    struct profile *profile = &timed->profile;
    profile_init(profile);
    profile->mode = PROFILE_SAMPLED;
    profile->complete = true;
    profile->command = arena_string(&profile->arena, "by hand");
    uint32_t module = profile_module(profile, "/no/such/file", NULL, 0);
    timed_add(profile, module, ONCE, once, 1);
    timed_add(profile, module, TWICE, twice, 2);
    timed_add(profile, module, ALIKE, alike, 3);
    if (!few)
        timed_add(profile, module, OFTEN, often, 6);
    const struct profile *sides[] = {profile};
    scene_open(&timed->scene, sides, 1, NULL);
    latency_view_make(&timed->view, &timed->scene);
}

static void timed_close(struct timed *timed)
{
    latency_view_release(&timed->view);
    scene_close(&timed->scene);
    profile_release(&timed->profile);
}

static char *text_of(const struct timed *timed)
{
    char *text = NULL;
    size_t length = 0;
    struct ink ink = {0};
    FILE *to = open_memstream(&text, &length);
    latency_view_text(to, &timed->view, &ink, 20);
    fclose(to);
    return text;
}

static void intervals_know_how_few_they_are_of(void **state)
{
    (void)state;
    struct timed timed;
    timed_open(&timed, false);
    assert_int_equal(timed.view.n, 4);
    struct estimate twice = latency_view_find(&timed.view, timed.view.at[0].module, TWICE);
    /* The deviation is 70.7, of the mean 50; Student's t of one degree is 12.7. */
    assert_true(fabs(twice.value - 150) < 1e-6 && fabs(twice.hi - (150 + 635.3)) < 1);
    assert_true(twice.lo <= 0 && twice.lo >= 0);
    struct estimate alike = latency_view_find(&timed.view, timed.view.at[0].module, ALIKE);
    assert_true(fabs(alike.value - 80) < 1e-6 && isnan(alike.lo) && isnan(alike.hi));
    assert_true(isnan(latency_view_find(&timed.view, timed.view.at[0].module, ONCE).hi));
    timed_close(&timed);
}

static void one_slow_load_is_not_first(void **state)
{
    (void)state;
    struct timed timed;
    timed_open(&timed, false);
    assert_int_equal(timed.view.at[0].address, ONCE); /* by cost */
    char *text = text_of(&timed);
    assert_non_null(strstr(text, "+0x1000"));
    assert_true(strstr(text, "+0x1000") < strstr(text, "+0x2000"));
    assert_null(strstr(text, "too few loads were timed"));
    free(text);
    timed_close(&timed);
    timed_open(&timed, true);
    text = text_of(&timed);
    assert_non_null(strstr(text, "too few loads were timed"));
    free(text);
    timed_close(&timed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_know_how_few_they_are_of),
        cmocka_unit_test(one_slow_load_is_not_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
