/* Rules made function by function are those of the whole table. */
#include "program/image.h"
#include "program/unwind_partial.h"

#include "base/err.h"

// clang-format off: cmocka's headers must come in this order
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

/* Expressions are numbered by whoever met them first. */
static bool same_rule(const struct unwind_rule *a, const struct unwind_rule *b)
{
    struct unwind_rule x = *a, y = *b;
    if (x.cfa == CFA_EXPRESSION && y.cfa == CFA_EXPRESSION)
        x.number = y.number = 0;
    for (int i = 0; i < UNWIND_REGISTERS; i++) {
        enum column_kind kind = column_kind(x.column[i]);
        if ((kind == COLUMN_AT_EXPRESSION || kind == COLUMN_IS_EXPRESSION) &&
            kind == column_kind(y.column[i]))
            x.column[i] = y.column[i] = 0;
    }
    return memcmp(&x, &y, sizeof x) == 0;
}

static void open_image(struct image *image, const char *path)
{
    struct err err;
    if (!image_open(image, path, &err))
        fail_msg("%s", err.text);
}

static size_t compare(const char *path)
{
    struct image image;
    struct unwind whole;
    struct unwind_partial partial;
    size_t found = 0;
    open_image(&image, path);
    unwind_build(&whole, &image);
    unwind_partial_init(&partial, &image);
    for (size_t i = whole.rows.n; i-- > 0;) { /* from the end: functions are put in anywhere */
        struct svma at = {whole.base.v + whole.rows.at[i].start};
        const struct unwind_rule *expected = unwind_find(&whole, at);
        if (!expected || expected->derived)
            continue;
        const struct unwind_rule *got = unwind_find(unwind_partial_at(&partial, at), at);
        if (!got || !same_rule(expected, got))
            fail_msg("%s: another rule at %llx", path, (unsigned long long)at.v);
        found++;
    }
    assert_null(partial.whole); /* all of them were found one by one */
    unwind_partial_release(&partial);
    unwind_release(&whole);
    image_close(&image);
    return found;
}

static void rules_are_those_of_the_whole_table(void **state)
{
    (void)state;
    assert_true(compare("/proc/self/exe") > 100);
    assert_true(compare("/lib/x86_64-linux-gnu/libc.so.6") > 10000);
}

/* Nobody's code: an address that no entry has must be answered by the whole table. */
static void gaps_are_for_the_whole_table(void **state)
{
    (void)state;
    struct image image;
    struct unwind_partial partial;
    open_image(&image, "/proc/self/exe");
    unwind_partial_init(&partial, &image);
    assert_null(unwind_find(unwind_partial_at(&partial, (struct svma){1}), (struct svma){1}));
    assert_non_null(partial.whole);
    unwind_partial_release(&partial);
    image_close(&image);
}

/* An index that lies costs its answers, and nothing else. */
static void index_may_lie(void **state)
{
    (void)state;
    struct image image;
    struct unwind_partial partial;
    uint8_t rows[64 * 8];
    open_image(&image, "/proc/self/exe");
    for (uint32_t seed = 0; seed < 200; seed++) {
        unwind_partial_init(&partial, &image);
        assert_true(partial.n_rows > 64);
        memcpy(rows, partial.rows, sizeof rows);
        for (uint32_t i = 0; i < sizeof rows; i++)
            if ((i * 2654435761u ^ seed * 40503u) % 7 == 0)
                rows[i] = (uint8_t)(i * seed);
        partial.rows = rows;
        partial.n_rows = 64;
        for (uint32_t i = 0; i < 64; i++) {
            struct svma at = {partial.section.v - i * 997};
            (void)unwind_find(unwind_partial_at(&partial, at), at);
        }
        unwind_partial_release(&partial);
    }
    image_close(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_those_of_the_whole_table),
        cmocka_unit_test(gaps_are_for_the_whole_table),
        cmocka_unit_test(index_may_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
