/* Records of hardware, written and read again: none is lost, none is another's, pairs stay pairs.
 */
#include "twice.h"

#include "profile/sample_list.h"

/* Adds up to the same for equal records in any order; modules by name, since their numbers change.
 */
static uint64_t digest_of(const struct profile *profile, const struct sample *sample)
{
    uint64_t digest = sample->known;
    for (int i = 0; i < SAMPLE_N; i++) {
        uint64_t value = sample->at[i];
        if ((i == SAMPLE_MODULE || i == SAMPLE_TARGET_MODULE || i == SAMPLE_DATA_MODULE) &&
            sample_knows(sample, (enum sample_field)i)) {
            const struct module *module = &profile->modules.at[value];
            value = 0;
            for (const char *c = module->path; *c; c++)
                value = value * 31 + (uint64_t)*c;
            value += module->build_id_bytes + 1000u * module->build_id[0];
        }
        if (i == SAMPLE_PAIR)
            value = 0;
        digest = (digest ^ value) * 0x100000001b3u;
    }
    return digest;
}

static uint64_t digest_all(const struct profile *profile, size_t *ret_pairs)
{
    uint64_t sum = 0;
    const struct sample_list *list = &profile->samples;
    *ret_pairs = 0;
    for (size_t i = 0; i < list->n; i++) {
        uint64_t digest = digest_of(profile, &list->at[i]);
        if (sample_list_pair_at(list, i)) {
            digest = digest * 3 + digest_of(profile, &list->at[++i]);
            ++*ret_pairs;
        }
        sum += digest * 0x9E3779B97F4A7C15u;
    }
    return sum;
}

static void back_and_forth(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        struct profile profile, again;
        size_t pairs, pairs_again;
        some_state = round;
        some_profile(&profile, PROFILE_PLAIN, 1 + some_below(60));
        write_and_read(&profile, &again);
        assert_int_equal(again.samples.n, profile.samples.n);
        assert_true(digest_all(&profile, &pairs) == digest_all(&again, &pairs_again));
        assert_int_equal(pairs, pairs_again);
        profile_release(&again);
        profile_release(&profile);
    }
}

static void in_any_order(void **state)
{
    (void)state;
    struct profile profiles[2], sums[2];
    for (int i = 0; i < 2; i++) {
        some_state = 100 + (uint64_t)i;
        profile_init(&profiles[i]);
        profiles[i].mode = PROFILE_PLAIN;
        some_modules(&profiles[i]);
        some_samples(&profiles[i], 200);
    }
    merge_in_any_order(profiles, sums);
    for (int i = 0; i < 2; i++) {
        profile_release(&profiles[i]);
        profile_release(&sums[i]);
    }
}

/* What others would index with is refused when it is out of range. */
static void out_of_range(void **state)
{
    (void)state;
    static const struct {
        enum sample_field field;
        uint64_t value;
        const char *why;
    } list[] = {{SAMPLE_ORIGIN, ORIGINS, "origin"},
                {SAMPLE_SOURCE, SOURCES, "source"},
                {SAMPLE_HISTORY_BITS, 65, "history"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct profile profile, again;
        struct encoder encoder = {0};
        struct err err;
        profile_init(&profile);
        profile.mode = PROFILE_PLAIN;
        sample_set(vec_push(&profile.samples), list[i].field, list[i].value);
        encode_whole(&encoder, &profile, NULL);
        assert_false(profile_read_bytes("it", encoder.out.at, encoder.out.n, &again, &err));
        assert_int_equal(err.kind, ERR_FORMAT);
        assert_non_null(strstr(err.text, "SAMPLES"));
        assert_non_null(strstr(err.text, list[i].why));
        encoder_release(&encoder);
        profile_release(&profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_and_forth),
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
