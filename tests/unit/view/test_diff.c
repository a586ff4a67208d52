#include "analysis/report/diff.h"

#include "../text/json_check.h"
#include "../analysis/plain_profile.h"
#include "analysis/report/diff_lines.h"
#include "analysis/report/diff_names.h"
#include "view/views.h"

#include <math.h>

static void test_suffixes_are_parts(void **state)
{
    (void)state;
    struct arena arena = {0};
    static const char *const cases[][2] = {
        {"f", "f"},
        {"f.cold", "f"},
        {"f.part.0", "f"},
        {"f.constprop.12", "f"},
        {"f.isra.0.constprop.1.cold", "f"},
        {"f.lto_priv.3", "f"},
        {"f.llvm.1234567890", "f"},
        {"f.12", "f.12"},
        {"f.partial", "f.partial"},
        {".cold", ".cold"},
        {"cold", "cold"},
        {"_ZN1a1bEv.part.0", "_ZN1a1bEv"},
        {"f.part.", "f.part."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(diff_base_name(&arena, cases[i][0]), cases[i][1]);
    arena_release(&arena);
}

/* ---- lines */

static void masses_make(struct line_masses *masses, const uint32_t (*lines)[2], size_t n)
{
    *masses = (struct line_masses){0};
    for (size_t i = 0; i < n; i++)
        *vec_push(masses) = (struct line_mass){0, lines[i][0], lines[i][1]};
    line_masses_sort(masses);
}

/* Lines 3 and 4 of seven are gone, one of 90 bytes is new, and all moved down by 100. */
static void test_lines_are_aligned_around_edits(void **state)
{
    (void)state;
    static const uint32_t before_lines[][2] = {{10, 5},  {11, 12}, {12, 44}, {13, 7},
                                               {15, 21}, {16, 9},  {17, 3}};
    static const uint32_t after_lines[][2] = {{110, 5},  {111, 12}, {113, 21},
                                              {114, 90}, {115, 9},  {116, 3}};
    static const uint32_t partners[] = {10, 11, 15, 0, 16, 17};
    struct line_masses before, after;
    masses_make(&before, before_lines, 7);
    masses_make(&after, after_lines, 6);
    uint32_t *partner_of = line_masses_align(&before, &after);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(partner_of[k] == LINE_NONE ? 0 : before.at[partner_of[k]].line,
                         partners[k]);
    mem_free(partner_of);
    vec_release(&before);
    vec_release(&after);
}

static void test_equal_lines_are_their_own_partners(void **state)
{
    (void)state;
    struct line_masses masses = {0};
    for (uint32_t i = 0; i < 300; i++)
        *vec_push(&masses) = (struct line_mass){i % 3, 1000 - i, 1 + i * 7 % 11};
    *vec_push(&masses) = (struct line_mass){0, 1000, 4}; /* a line in two places */
    line_masses_sort(&masses);
    assert_int_equal(masses.n, 300);
    uint32_t *partner_of = line_masses_align(&masses, &masses);
    for (uint32_t k = 0; k < masses.n; k++)
        assert_int_equal(partner_of[k], k);
    mem_free(partner_of);
    vec_release(&masses);
}

/* ---- rows */

static uint64_t seed = 5;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

enum { FUNCTIONS = 12 };

/* Samples of functions f0..; function k has a share of shares[k]. */
static void plain_make(struct profile *profile, const double *shares, uint32_t samples,
                       uint64_t user_ns)
{
    plain_begin(profile);
    uint32_t module = profile_module_jit(profile, 10), nodes[FUNCTIONS];
    uint32_t thread = thread_add(profile, 10, 10);
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", f);
        names_add(&profile->names, &profile->arena, module, 0x1000 * (f + 1), 0x100, name);
        nodes[f] = stacks_node(&profile->stacks, thread, module, 0x1000 * (f + 1));
    }
    for (uint32_t i = 0; i < samples; i++) {
        double at = uniform();
        uint32_t f = 0;
        while (f + 1 < FUNCTIONS && at >= shares[f])
            at -= shares[f++];
        samples_add(profile, nodes[f], 1, user_ns / samples);
    }
    profile->totals.user_ns = user_ns;
    profile->totals.time = user_ns;
}

struct pair {
    struct profile profiles[SIDES_MAX];
    struct scene scenes[SIDES_MAX];
    struct diff diff;
};

static void pair_open(struct pair *pair, enum diff_by by)
{
    struct err err;
    for (int side = 0; side < SIDES_MAX; side++) {
        const struct profile *profile = &pair->profiles[side];
        scene_open(&pair->scenes[side], &profile, 1, NULL);
    }
    assert_true(diff_make(&pair->diff, &pair->scenes[BEFORE], &pair->scenes[AFTER],
                          (struct diff_options){.by = by}, &err));
}

static void pair_close(struct pair *pair)
{
    diff_release(&pair->diff);
    for (int side = 0; side < SIDES_MAX; side++) {
        scene_close(&pair->scenes[side]);
        profile_release(&pair->profiles[side]);
    }
}

static const struct diff_row *row_of(const struct diff *diff, const char *name)
{
    for (size_t i = 0; i < diff->n; i++)
        if (strcmp(diff->at[i].name, name) == 0)
            return &diff->at[i];
    return NULL;
}

static const double even[FUNCTIONS] = {0.3,  0.2,  0.1,  0.1,  0.05, 0.05,
                                       0.05, 0.05, 0.05, 0.03, 0.02, 0};

static void test_a_real_change_is_found(void **state)
{
    (void)state;
    struct pair pair;
    /* f1 twice as slow, f11 is new, f10 gone; the rest takes as long as before. */
    double after[FUNCTIONS];
    for (int f = 0; f < FUNCTIONS; f++)
        after[f] = even[f] / 1.4;
    after[1] = 0.4 / 1.4, after[11] = 0.22 / 1.4, after[10] = 0;
    plain_make(&pair.profiles[BEFORE], even, 8000, 4000000000);
    plain_make(&pair.profiles[AFTER], after, 8000, 5600000000);
    pair_open(&pair, DIFF_FUNCTION);
    assert_int_equal(pair.diff.weight, WEIGHT_TIME);
    assert_true(fabs(pair.diff.totals[AFTER] - 5.6) < 1e-6);
    const struct diff_row *slower = row_of(&pair.diff, "f1"), *new = row_of(&pair.diff, "f11"),
                          *gone = row_of(&pair.diff, "f10"), *same = row_of(&pair.diff, "f0");
    assert_true(slower->sure && slower->change.lo < 0.8 && slower->change.hi > 0.8);
    assert_true(new->sure && !new->seen[BEFORE] && new->change.value > 0.7);
    assert_true(gone->sure && !gone->seen[AFTER] && gone->change.value < 0);
    assert_true(!same->sure && same->share_sure); /* takes as long, of a longer run */
    for (size_t i = 0; i + 1 < pair.diff.n; i++)
        assert_true(fabs(pair.diff.at[i].change.value) >= fabs(pair.diff.at[i + 1].change.value));
    for (size_t i = 0; i < pair.diff.n; i++) {
        struct estimate change = pair.diff.at[i].change;
        assert_true(change.lo <= change.value && change.value <= change.hi);
    }
    pair_close(&pair);
}

/* Two recordings of one thing, again and again: an own interval may be left by 5 in 100 rows, one
 * that is widened for all rows by 5 in 100 whole comparisons. */
static void test_noise_is_called_noise(void **state)
{
    (void)state;
    enum { TRIALS = 120 };
    int rows = 0, beyond = 0, wrong = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct pair pair;
        bool any = false;
        plain_make(&pair.profiles[BEFORE], even, 1500, 1000000000);
        plain_make(&pair.profiles[AFTER], even, 1500, 1000000000);
        pair_open(&pair, DIFF_FUNCTION);
        for (size_t i = 0; i < pair.diff.n; i++) {
            rows++;
            beyond += pair.diff.at[i].beyond;
            any |= pair.diff.at[i].sure;
        }
        wrong += any;
        pair_close(&pair);
    }
    if (beyond > rows / 15 || wrong > TRIALS / 12)
        fail_msg("%d of %d rows beyond their interval, %d of %d comparisons found a change", beyond,
                 rows, wrong, TRIALS);
    assert_true(beyond > rows / 200); /* and intervals are not wide beyond use */
}

static void test_output_is_well_formed(void **state)
{
    (void)state;
    for (int by = DIFF_FUNCTION; by <= DIFF_MODULE; by++) {
        struct pair pair;
        char *text = NULL, *json = NULL;
        size_t n;
        plain_make(&pair.profiles[BEFORE], even, 500, 1000000000);
        plain_make(&pair.profiles[AFTER], even, 500, 1000000000);
        pair_open(&pair, (enum diff_by)by);
        FILE *to = open_memstream(&json, &n);
        diff_json(to, &pair.diff, SIZE_MAX);
        fclose(to);
        to = open_memstream(&text, &n);
        diff_text(to, &pair.diff, NULL, 20);
        fclose(to);
        assert_true(json_is_valid(json));
        assert_non_null(strstr(text, "user time 1.000 s -> 1.000 s"));
        assert_non_null(strstr(text, by == DIFF_MODULE ? "did not change at all" : "f3"));
        free(json);
        free(text);
        pair_close(&pair);
    }
}

/* However many of them befell one side only. */
static void test_kinds_of_loss_are_counted_once(void **state)
{
    (void)state;
    struct pair pair;
    char *text = NULL;
    size_t n;
    plain_make(&pair.profiles[BEFORE], even, 500, 1000000000);
    plain_make(&pair.profiles[AFTER], even, 500, 1000000000);
    pair.profiles[BEFORE].totals.losses[LOSS_cut] = 3;
    pair.profiles[BEFORE].totals.losses[LOSS_untimed] = 1;
    pair.profiles[AFTER].totals.losses[LOSS_cut] = 4;
    pair_open(&pair, DIFF_FUNCTION);
    FILE *to = open_memstream(&text, &n);
    diff_text(to, &pair.diff, NULL, 20);
    fclose(to);
    const char *first = strstr(text, "-v lists 2 kinds of loss");
    assert_non_null(first);
    assert_null(strstr(first + 1, "-v lists"));
    assert_null(strstr(text, "\nbefore:\n"));
    free(text);
    pair_close(&pair);
}

static void test_exact_and_plain_have_nothing_in_common(void **state)
{
    (void)state;
    struct pair pair;
    struct err err;
    plain_make(&pair.profiles[BEFORE], even, 10, 1000);
    profile_init(&pair.profiles[AFTER]);
    pair.profiles[AFTER].mode = PROFILE_EXACT;
    for (int side = 0; side < SIDES_MAX; side++) {
        const struct profile *profile = &pair.profiles[side];
        scene_open(&pair.scenes[side], &profile, 1, NULL);
    }
    assert_false(diff_make(&pair.diff, &pair.scenes[BEFORE], &pair.scenes[AFTER],
                           (struct diff_options){.by = DIFF_FUNCTION}, &err));
    assert_int_equal(err.kind, ERR_FORMAT);
    for (int side = 0; side < SIDES_MAX; side++) {
        scene_close(&pair.scenes[side]);
        profile_release(&pair.profiles[side]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suffixes_are_parts),
        cmocka_unit_test(test_lines_are_aligned_around_edits),
        cmocka_unit_test(test_equal_lines_are_their_own_partners),
        cmocka_unit_test(test_a_real_change_is_found),
        cmocka_unit_test(test_noise_is_called_noise),
        cmocka_unit_test(test_output_is_well_formed),
        cmocka_unit_test(test_kinds_of_loss_are_counted_once),
        cmocka_unit_test(test_exact_and_plain_have_nothing_in_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
