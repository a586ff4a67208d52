#include "values/value_lists.h"

#include "compress/random.h"

#include "../process/fake_code.h"

enum { WINDOWS = 150, EXITS = VALUE_CHUNK_VISITS };

struct unit {
    struct wire_superblock header;
    struct wire_segment segments[2];
    struct wire_payload items[5];
};

/* Five instructions, left behind the third or behind the last. */
static struct unit unit_at(uint64_t start, uint32_t first_exit)
{
    return (struct unit){
        .header = {.kind = UNIT_SUPERBLOCK,
                   .bytes = sizeof(struct unit),
                   .first_exit = first_exit,
                   .n_segments = 2,
                   .n_exits = 2,
                   .n_payload = 5},
        .segments = {{.start = start,
                      .target = 0x5000,
                      .bytes = 9,
                      .last_bytes = 3,
                      .instructions = 3,
                      .end = SEGMENT_COND},
                     {.start = start + 9,
                      .bytes = 6,
                      .last_bytes = 3,
                      .instructions = 2,
                      .end = SEGMENT_RETURN}},
        .items = {{.instruction = 0, .kind = PAYLOAD_RESULT, .words = 1},
                  {.instruction = 1, .offset = 3, .kind = PAYLOAD_ADDRESS, .words = 1},
                  {.instruction = 2, .offset = 6, .kind = PAYLOAD_VECTOR, .words = 2},
                  {.instruction = 3, .kind = PAYLOAD_ADDRESS, .words = 1},
                  {.instruction = 4, .offset = 3, .kind = PAYLOAD_RESULT, .words = 1}}};
}

/* Two superblocks, the second of which begins in the middle of the first: they share a place. */
static void fixture_open(struct fake_code *fixture)
{
    fake_code_open(fixture, (struct wire_map){.start = 0x1000, .end = 0x9000, .offset = 0x100});
    struct unit units[] = {unit_at(0x2000, 4), unit_at(0x200c, 6)};
    fake_unit(&fixture->fake, units, sizeof units);
    fake_code_read_good(fixture);
    assert_int_equal(fixture->units.superblocks.n, 2);
}

/* Windows that are the same whoever takes them; some are told in between. */
static void windows_take(struct value_lists *lists, struct batch *batch)
{
    struct random random = {7};
    for (uint32_t w = 0; w < WINDOWS; w++) {
        uint32_t exits[EXITS];
        uint64_t words[6 * EXITS], n_words = 0;
        for (uint32_t i = 0; i < EXITS; i++) {
            uint64_t draw = random_next(&random);
            exits[i] = 4 + draw % 4;
            for (uint32_t k = exits[i] % 2 ? 6 : 4; k; k--)
                words[n_words++] = random_next(&random) >> (draw & 8 ? 62 : 54);
        }
        struct payload_window window = {1, EXITS, n_words, exits, words};
        assert_true(value_lists_take(lists, &window, &window, 1 + w % 40));
        if (w % 37 == 36)
            value_lists_flush(lists, false, batch);
    }
    value_lists_flush(lists, true, batch);
}

/* That values wait and are counted place by place changes no row, and strides do not if many are
 * counted at once. By callers, of which there are none here, values and strides come one by one. */
static void order_does_not_matter(void **state)
{
    (void)state;
    struct fake_code fixture;
    fixture_open(&fixture);
    struct value_lists lists[2];
    struct batch batches[2];
    for (int i = 0; i < 2; i++) {
        value_lists_init(&lists[i], &fixture.units);
        lists[i].strided = true;
        lists[i].places.by_callers = i;
        batch_init(&batches[i]);
        windows_take(&lists[i], &batches[i]);
    }
    const struct batch_table *waited = &batches[0].values, *ordered = &batches[1].values;
    assert_true(ordered->keys.n > 20);
    assert_int_equal(waited->keys.n, ordered->keys.n);
    for (uint32_t i = 0; i < ordered->keys.n; i++) {
        uint32_t same = map_find(&waited->keys, map_key(&ordered->keys, i));
        assert_int_not_equal(same, MAP_NONE);
        assert_int_equal(waited->cells.at[same].count, ordered->cells.at[i].count);
        assert_int_equal(waited->cells.at[same].time, ordered->cells.at[i].time);
    }
    for (int i = 0; i < 2; i++) {
        value_lists_release(&lists[i]);
        batch_release(&batches[i]);
    }
    fake_code_close(&fixture);
}

/* The row of all values of a place has every sighting and every window, those of values no more
 * than there were. */
static void rows_add_up(void **state)
{
    (void)state;
    struct fake_code fixture;
    fixture_open(&fixture);
    struct value_lists lists;
    struct batch batch;
    value_lists_init(&lists, &fixture.units);
    batch_init(&batch);
    uint32_t exits[] = {5, 4, 5};
    uint64_t words[] = {1, 40, 9, 9, 7, 3, 1, 40, 9, 9, 2, 40, 8, 8, 7, 3};
    struct payload_window window = {1, 3, 16, exits, words};
    for (int i = 0; i < 70; i++)
        assert_true(value_lists_take(&lists, &window, &window, 16));
    window.n_words = 15;
    assert_false(value_lists_take(&lists, &window, &window, 16));
    value_lists_flush(&lists, true, &batch);
    uint64_t all = 0, ones = 0, sevens = 0;
    for (uint32_t i = 0; i < batch.values.keys.n; i++) {
        const struct value_key *key = map_key(&batch.values.keys, i);
        const struct batch_cell *cell = &batch.values.cells.at[i];
        all += key->kind & VALUE_ALL ? cell->count : 0;
        if (key->kind & VALUE_ALL)
            assert_int_equal(cell->time, 70 * 16);
        ones += !(key->kind & VALUE_ALL) && key->value == 1 ? cell->count : 0;
        sevens += !(key->kind & VALUE_ALL) && key->value == 7 ? cell->count : 0;
    }
    assert_int_equal(all, 16 * 70 * (5 + 3 + 5)); /* of a vector one word */
    assert_int_equal(ones, 16 * 70 * 2);
    assert_int_equal(sevens, 16 * 70 * 2);
    value_lists_release(&lists);
    batch_release(&batch);
    fake_code_close(&fixture);
}

/* Of a loop's many passages some are drawn: what values have of their place stays, and so does how
 * often it was seen, but for chance. */
static void loops_are_drawn(void **state)
{
    (void)state;
    struct fake_code fixture;
    fixture_open(&fixture);
    struct value_lists lists;
    value_lists_init(&lists, &fixture.units);
    enum { PASSED = 300, TAKEN = 200 };
    uint32_t exits[PASSED];
    uint64_t words[4 * PASSED];
    for (uint32_t w = 0; w < TAKEN; w++) {
        for (uint32_t i = 0; i < PASSED; i++) {
            exits[i] = 4; /* left by its branch: a result, an address and a vector */
            words[4 * i] = i % 4 == 0;
            words[4 * i + 1] = words[4 * i + 2] = words[4 * i + 3] = 5;
        }
        struct payload_window window = {1, PASSED, 4 * PASSED, exits, words};
        assert_true(value_lists_take(&lists, &window, &window, 16));
    }
    struct batch batch;
    batch_init(&batch);
    value_lists_flush(&lists, true, &batch);
    double all = 16.0 * PASSED * TAKEN, ones = 0, total = 0;
    for (uint32_t i = 0; i < batch.values.keys.n; i++) {
        const struct value_key *key = map_key(&batch.values.keys, i);
        double count = (double)batch.values.cells.at[i].count;
        total += key->kind & VALUE_ALL ? count : 0;
        ones += !(key->kind & VALUE_ALL) && key->value == 1 ? count : 0;
    }
    assert_true(total > 3 * all * 0.9 && total < 3 * all * 1.1);
    assert_true(ones > all * 0.22 && ones < all * 0.28);
    value_lists_release(&lists);
    batch_release(&batch);
    fake_code_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_does_not_matter),
                                       cmocka_unit_test(rows_add_up),
                                       cmocka_unit_test(loops_are_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
