#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/kernel_table.h"

#include <stdio.h>
#include <unistd.h>

static void table_of(struct kernel_table *table, const char *symbols)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/kernel_table.%d", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs(symbols, file);
    fclose(file);
    kernel_table_read(table, path);
    unlink(path);
}

static void finds(void **state)
{
    struct kernel_table table;
    uint64_t start = 0;
    (void)state;
    table_of(&table, "ffffffff81000200 T third\n"
                     "ffffffff81000000 T first\n"
                     "ffffffff81000000 t alias\n"
                     "ffffffff81000180 D data\n"
                     "no line of it\n"
                     "ffffffffc0000010 t inside\t[loop]\n");
    assert_null(kernel_table_find(&table, 0xffffffff80ffffffu, &start));
    assert_string_equal(kernel_table_find(&table, 0xffffffff81000000u, &start), "first");
    assert_string_equal(kernel_table_find(&table, 0xffffffff81000190u, &start), "first");
    assert_true(start == 0xffffffff81000000u);
    assert_string_equal(kernel_table_find(&table, 0xffffffff81000200u, &start), "third");
    assert_string_equal(kernel_table_find(&table, 0xffffffffc0000011u, &start), "inside [loop]");
    assert_true(kernel_table_end(&table, 0xffffffff81000000u) == 0xffffffff81000200u);
    assert_true(kernel_table_end(&table, 0xffffffffc0000010u) == UINT64_MAX);
    kernel_table_release(&table);
}

/* kernel.kptr_restrict makes all addresses zero. */
static void hidden(void **state)
{
    struct kernel_table table;
    uint64_t start;
    (void)state;
    table_of(&table, "0000000000000000 T first\n0000000000000000 t second\n");
    assert_null(kernel_table_find(&table, 0xffffffff81000000u, &start));
    kernel_table_release(&table);
    kernel_table_read(&table, "/nowhere/at/all");
    assert_int_equal(table.n, 0);
    kernel_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds), cmocka_unit_test(hidden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
