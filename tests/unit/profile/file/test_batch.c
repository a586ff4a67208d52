#include "some_profile.h"

#include "profile/batch.h"

enum { KEYS = 40, BATCHES = 50 };

static struct edge_key edge_of(uint32_t module, uint64_t i)
{
    return (struct edge_key){.from_module = module,
                             .to_module = module,
                             .from = {0x1000 + i * 4},
                             .to = {0x2000 + i * 8},
                             .kind = EDGE_TAKEN};
}

/* Slow and plain: y of every key and batch kept, sums taken at the end. */
struct reference {
    uint64_t time[BATCHES][KEYS], count[BATCHES][KEYS], x_time[BATCHES], x_count[BATCHES];
};

static void assert_sums_are(const struct reference *reference, const struct sums *sums, size_t key)
{
    struct sums want = {0};
    for (size_t b = 0; b < BATCHES; b++) {
        u128 t = reference->time[b][key], c = reference->count[b][key];
        want.time += (uint64_t)t;
        want.count += (uint64_t)c;
        want.time_yy += t * t;
        want.count_yy += c * c;
        want.time_xy += t * reference->x_time[b];
        want.count_xy += c * reference->x_count[b];
    }
    assert_same_sums(&want, sums);
}

/* Folds random batches into a profile that is cleared and added to `total` now and then, as a
 * recorder does; additions go by key and by index alike. */
static void fold(struct reference *reference, struct profile *total)
{
    struct err err;
    struct batch batch;
    struct profile delta;
    batch_init(&batch);
    profile_init(&delta);
    uint32_t module = profile_module(&delta, "/m", NULL, 0);
    for (size_t b = 0; b < BATCHES; b++) {
        for (uint64_t adds = some_below(300); adds; adds--) {
            uint64_t key = some_below(KEYS), time = some_number() >> 20;
            uint64_t count = some_number() >> 20;
            struct edge_key edge = edge_of(module, key);
            if (some_below(2))
                batch_add_edge(&batch, &edge, time, count);
            else
                batch_add_edge_at(&batch, batch_edge_index(&batch, &edge), time, count);
            reference->time[b][key] += time;
            reference->count[b][key] += count;
        }
        uint64_t x_time = 1 + (some_number() >> 8), x_count = some_number() >> 8;
        batch_add_window(&batch, x_time, 0);
        batch_add_window(&batch, 0, x_count);
        reference->x_time[b] = x_time;
        reference->x_count[b] = x_count;
        batch_close(&batch, &delta);
        if (some_below(3) == 0 || b + 1 == BATCHES) {
            assert_true(profile_merge(total, &delta, &err));
            profile_clear(&delta);
        }
    }
    profile_release(&delta);
    batch_release(&batch);
}

static void sums_are_over_batches(void **state)
{
    (void)state;
    static struct reference reference;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct profile total;
        some_state = seed;
        memset(&reference, 0, sizeof reference);
        profile_init(&total);
        fold(&reference, &total);
        for (uint64_t key = 0; key < KEYS; key++) {
            struct edge_key edge = edge_of(0, key);
            assert_sums_are(&reference, table_find(&total.edges, &edge), key);
        }
        u128 time_xx = 0, count_xx = 0;
        for (size_t b = 0; b < BATCHES; b++) {
            time_xx += (u128)reference.x_time[b] * reference.x_time[b];
            count_xx += (u128)reference.x_count[b] * reference.x_count[b];
        }
        assert_int_equal(total.totals.batches, BATCHES);
        assert_true(total.totals.time_xx == time_xx);
        assert_true(total.totals.count_xx == count_xx);
        profile_release(&total);
    }
}

static void tables_are_separate(void **state)
{
    (void)state;
    struct batch batch;
    struct profile profile;
    batch_init(&batch);
    profile_init(&profile);
    struct range_key range = {.instructions = 3, .start = {1}, .last = {9}};
    struct edge_key edge = edge_of(0, 1);
    batch_add_range(&batch, &range, 5, 6);
    batch_add_edge(&batch, &edge, 7, 8);
    batch_add_range_at(&batch, batch_range_index(&batch, &range), 10, 0);
    batch_add_edge_at(&batch, batch_edge_index(&batch, &edge), 0, 10);
    batch_add_window(&batch, 100, 1000);
    batch_close(&batch, &profile);
    assert_int_equal(profile.edges.n + profile.ranges.n, 2);
    const struct sums ranges = {15, 6, 225, 1500, 36, 6000}, edges = {7, 18, 49, 700, 324, 18000};
    assert_same_sums(table_find(&profile.ranges, &range), &ranges);
    assert_same_sums(table_find(&profile.edges, &edge), &edges);
    assert_int_equal(profile.totals.time, 100);
    assert_int_equal(profile.totals.count, 1000);
    profile_release(&profile);
    batch_release(&batch);
}

static void an_empty_batch_is_none(void **state)
{
    (void)state;
    struct batch batch;
    struct profile profile;
    batch_init(&batch);
    profile_init(&profile);
    struct range_key range = {.start = {1}};
    batch_close(&batch, &profile);
    assert_int_equal(profile.totals.batches, 0);
    batch_add_range(&batch, &range, 1, 1);
    batch_add_window(&batch, 1, 1);
    batch_close(&batch, &profile);
    batch_close(&batch, &profile);
    assert_int_equal(profile.totals.batches, 1);
    batch_add_range(&batch, &range, 0, 0);
    batch_add_window(&batch, 1, 1);
    batch_close(&batch, &profile);
    assert_int_equal(profile.totals.batches, 2);
    assert_int_equal(table_find(&profile.ranges, &range)->time, 1);
    profile_release(&profile);
    batch_release(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_over_batches),
        cmocka_unit_test(tables_are_separate),
        cmocka_unit_test(an_empty_batch_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
