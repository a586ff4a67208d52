/* Sorting by addresses gives what qsort gives. */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* Last: it wants what is above. */
#include <cmocka.h>

struct row {
    uint64_t at;
    uint64_t bytes;
};

static int row_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void test_like_qsort(void **state)
{
    enum { MAX = 3000 };
    static struct row rows[MAX], others[MAX];
    (void)state;
    for (size_t n = 0; n < MAX; n = n * 2 + 1)
        for (int shift = 0; shift < 64; shift += 9) {
            for (size_t i = 0; i < n; i++)
                rows[i] =
                    (struct row){((uint64_t)(unsigned)rand() << 32 | (unsigned)rand()) >> shift,
                                 (uint64_t)rand() % 4};
            memcpy(others, rows, sizeof rows);
            sort_by_first(rows, n, sizeof *rows, row_order);
            qsort(others, n, sizeof *others, row_order);
            assert_memory_equal(rows, others, n * sizeof *rows);
        }
}

static void test_keeps_order(void **state)
{
    struct row rows[] = {{7, 1}, {5, 2}, {7, 3}, {5, 4}};
    (void)state;
    sort_by_first(rows, 4, sizeof *rows, NULL);
    assert_int_equal(
        rows[0].bytes * 1000 + rows[1].bytes * 100 + rows[2].bytes * 10 + rows[3].bytes, 2413);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_like_qsort),
                                       cmocka_unit_test(test_keeps_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
