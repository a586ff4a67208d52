#include "gcov/counts.h"

#include "base/err.h"
#include "bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Two functions with counters and one without, as libgcov of gcc 12 writes them. */
static void put_file(struct file *file)
{
    PUT(file, 0x67636461, 0x4232322A, 77, 88);
    PUT(file, 0xA1000000, 8, 3, 900);
    PUT(file, 0x01000000, 12, 11, 22, 33);
    PUT(file, 0x01A10000, 24, 900, 0, 7, 1, 0, 0);
    PUT(file, 0x01A30000, 0);
    PUT(file, 0x01A90000, 32, 12, 0, 1, 0, 0xABCD, 0, 12, 0);
    PUT(file, 0x01000000, 0);
    PUT(file, 0x01000000, 12, 44, 55, 66);
    PUT(file, 0x01A10000, (uint32_t)-72);
    PUT(file, 0);
}

static void read_and_written_again_it_is_the_same(void **state)
{
    (void)state;
    struct file file = {0};
    struct counts counts;
    struct counts_bytes again = {0};
    struct err err;
    put_file(&file);
    assert_true(counts_parse(&counts, file.at, file.n, &err));
    assert_int_equal(counts.runs, 3);
    assert_int_equal(counts.sum_max, 900);
    assert_int_equal(counts.functions.n, 3);
    const struct counts_function *first = counts_find(&counts, 11);
    assert_non_null(first);
    assert_int_equal(first->rows[COUNTS_ARCS].n, 3);
    assert_true(first->rows[COUNTS_ARCS].at[1] == ((uint64_t)1 << 32 | 7));
    assert_true(first->rows[COUNTS_INTERVAL].there);
    assert_false(first->rows[COUNTS_POW2].there);
    assert_int_equal(first->rows[COUNTS_INDIRECT].at[2], 0xABCD);
    assert_int_equal(counts_find(&counts, 44)->rows[COUNTS_ARCS].n, 9);
    assert_null(counts_find(&counts, 12));
    counts_encode(&counts, &again);
    assert_int_equal(again.n, file.n);
    assert_memory_equal(again.at, file.at, file.n);
    counts_release(&counts);
    vec_release(&again);
    vec_release(&file);
}

static void older_compilers_count_words(void **state)
{
    (void)state;
    struct file file = {0};
    struct counts counts;
    struct counts_bytes again = {0};
    struct err err;
    PUT(&file, 0x67636461, 0x4231322A, 77, 0xA1000000, 2, 1, 5);
    PUT(&file, 0x01000000, 3, 11, 22, 33, 0x01A10000, 4, 5, 0, 6, 0, 0);
    assert_true(counts_parse(&counts, file.at, file.n, &err));
    assert_int_equal(counts.head.major, 11);
    assert_int_equal(counts.functions.at[0].rows[COUNTS_ARCS].n, 2);
    counts_encode(&counts, &again);
    assert_int_equal(again.n, file.n);
    assert_memory_equal(again.at, file.at, file.n);
    counts_release(&counts);
    vec_release(&again);
    vec_release(&file);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    struct file file = {0};
    struct counts counts;
    struct err err;
    put_file(&file);
    for (size_t n = 0; n < file.n; n++) {
        uint8_t *cut = malloc(n + 1);
        memcpy(cut, file.at, n);
        if (counts_parse(&counts, cut, n, &err))
            counts_release(&counts);
        else
            assert_int_equal(err.kind, ERR_FORMAT);
        free(cut);
        uint8_t old = file.at[n];
        file.at[n] ^= 0x84;
        if (counts_parse(&counts, file.at, file.n, &err))
            counts_release(&counts);
        file.at[n] = old;
    }
    /* A number of zeros that no function has. */
    file.n = 16;
    PUT(&file, 0x01000000, 12, 1, 2, 3, 0x01A10000, 0x80000008);
    assert_false(counts_parse(&counts, file.at, file.n, &err));
    /* Counters twice. */
    file.n = 16;
    PUT(&file, 0x01000000, 12, 1, 2, 3, 0x01A10000, 0, 0x01A10000, 0);
    assert_false(counts_parse(&counts, file.at, file.n, &err));
    assert_non_null(strstr(err.text, "twice"));
    vec_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_and_written_again_it_is_the_same),
        cmocka_unit_test(older_compilers_count_words),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
