/* The order of rows, against comparing them. */
#include "some_profile.h"

#include "profile/file/order.h"

static size_t fields;

static int compare(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    for (size_t f = 0; f < fields; f++)
        if (x->fields[f] != y->fields[f])
            return x->fields[f] < y->fields[f] ? -1 : 1;
    return 0;
}

/* Integers of few and of many bits, some equal in all rows. */
static uint64_t some_field(unsigned shape, size_t f)
{
    switch (shape >> 2 * f & 3) {
    case 0: return 7;
    case 1: return some_below(3);
    case 2: return 0x7f0000400000u + some_below(1 << 20);
    default: return some_number();
    }
}

static void rows_are_sorted_as_by_comparing(void **state)
{
    (void)state;
    struct row_order order = {0};
    struct rows expected = {0};
    for (unsigned round = 0; round < 300; round++) {
        unsigned shape = (unsigned)some_bits();
        order.rows.n = expected.n = 0;
        fields = 4 + some_below(2);
        for (uint64_t n = some_below(200); n > 0; n--) {
            struct row *row = vec_push(&order.rows);
            for (size_t f = 0; f < fields; f++)
                row->fields[f] = some_field(shape, f);
            *vec_push(&expected) = *row;
        }
        if (expected.n)
            qsort(expected.at, expected.n, sizeof *expected.at, compare);
        row_order_make(&order, fields);
        assert_int_equal(order.sorted.n, expected.n);
        for (size_t i = 0; i < expected.n; i++)
            assert_int_equal(compare(&expected.at[i], &order.rows.at[order.sorted.at[i].index]), 0);
        for (size_t i = 1; i < expected.n; i++) {
            const struct row_place *place = &order.sorted.at[i];
            if (!compare(&expected.at[i - 1], &expected.at[i]))
                assert_true(place[-1].index < place->index);
        }
    }
    row_order_release(&order);
    vec_release(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_sorted_as_by_comparing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
