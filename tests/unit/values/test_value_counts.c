#include "values/value_counts.h"

#include "base/memory.h"

#include "../process/fake.h"

static void few_are_counted_exactly(void **state)
{
    (void)state;
    struct value_counts counts = {0};
    for (uint64_t i = 0; i < 10000; i++)
        value_counts_add(&counts, i % 4 ? i % 100 : 5, 1);
    struct value_count top[3];
    assert_int_equal(value_counts_top(&counts, top, 3), 3);
    assert_int_equal(counts.total, 10000);
    assert_int_equal(counts.lost, 0);
    assert_int_equal(top[0].value, 5);
    assert_int_equal(top[0].count, 2600);
    assert_int_equal(top[1].value, 1); /* equal ones by value */
    assert_int_equal(top[1].count, 100);
    assert_int_equal(top[2].value, 2);
    value_counts_release(&counts);
}

/* Of many different values those that are frequent are within what is lost, and that is little. */
static void many_lose_little(void **state)
{
    (void)state;
    struct value_counts counts = {0};
    uint64_t truth[4] = {0}, rare = 1000, state_of = 1, n = 200000;
    for (uint64_t i = 0; i < n; i++) {
        state_of = state_of * UINT64_C(6364136223846793005) + 1;
        uint64_t draw = state_of >> 61; /* one of 8: four of them are values of their own */
        if (draw < 4)
            truth[draw]++;
        value_counts_add(&counts, draw < 4 ? draw : rare++, 1);
    }
    struct value_count top[4];
    assert_int_equal(value_counts_top(&counts, top, 4), 4);
    assert_int_equal(counts.total, n);
    assert_true(counts.lost > 0 && counts.lost <= 4 * n / VALUE_COUNTS_MOST);
    for (int i = 0; i < 4; i++) {
        assert_true(top[i].value < 4);
        assert_true(top[i].count <= truth[top[i].value]);
        assert_true(top[i].count + counts.lost >= truth[top[i].value]);
    }
    value_counts_release(&counts);
}

/* Columns, of runs and of values in turn, of more different ones than are kept: as if they had come
 * one by one. */
static void columns_are_as_one_by_one(void **state)
{
    (void)state;
    enum { APART = 3, N = 50, COLUMNS = 400 };
    struct value_counts one = {0}, column = {0};
    uint64_t words[N * APART], state_of = 1;
    for (uint64_t c = 0; c < COLUMNS; c++) {
        for (uint64_t i = 0; i < N; i++) {
            state_of = state_of * UINT64_C(6364136223846793005) + 1;
            uint64_t value = c % 4 == 0   ? i / 20
                             : c % 4 == 1 ? i % 3
                             : c % 4 == 2 ? (state_of >> 33) % 700
                                          : 0;
            words[i * APART] = value;
            words[i * APART + 1] = words[i * APART + 2] = state_of;
            value_counts_add(&one, value, 1);
        }
        value_counts_add_column(&column, words, APART, N);
    }
    struct value_count top[2][16];
    size_t n = value_counts_top(&one, top[0], 16);
    assert_int_equal(value_counts_top(&column, top[1], 16), n);
    assert_true(one.lost > 0);
    assert_int_equal(column.lost, one.lost);
    assert_int_equal(column.total, one.total);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(top[1][i].value, top[0][i].value);
        assert_int_equal(top[1][i].count, top[0][i].count);
    }
    value_counts_release(&one);
    value_counts_release(&column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_counted_exactly),
        cmocka_unit_test(many_lose_little),
        cmocka_unit_test(columns_are_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
