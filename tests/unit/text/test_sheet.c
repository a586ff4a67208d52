/* Changes have a sign, and none if they are nothing. */
#include "text/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void changes_told(void **state)
{
    (void)state;
    struct sheet sheet;
    sheet_begin(&sheet, "r", NULL);
    sheet_change(&sheet, -0.0049);
    sheet_change(&sheet, 0.0049);
    sheet_change(&sheet, -0.006);
    sheet_change(&sheet, 12.5);
    assert_string_equal(sheet.cells.at[0].text, "0.00 %");
    assert_string_equal(sheet.cells.at[1].text, "0.00 %");
    assert_string_equal(sheet.cells.at[2].text, "-0.01 %");
    assert_string_equal(sheet.cells.at[3].text, "+12.50 %");
    sheet_end(&sheet, stdout);
}

/* An address says which it is, its module does not; and what lost its beginning loses more of it.
 */
static void ends_of_addresses_stay(void **state)
{
    (void)state;
    struct sheet sheet;
    sheet_begin(&sheet, "l", NULL);
    sheet_cell(&sheet, "libsomething.so.1.0.4+0x1e660");
    sheet_cell(&sheet, "/a/long/way/to/a_file_with_a_long_name.c:1234");
    sheet_squeeze(&sheet, 24);
    assert_string_equal(sheet.cells.at[0].text, "...hing.so.1.0.4+0x1e660");
    assert_string_equal(sheet.cells.at[1].text, "...th_a_long_name.c:1234");
    sheet_squeeze(&sheet, 14);
    assert_string_equal(sheet.cells.at[0].text, "...0.4+0x1e660");
    assert_string_equal(sheet.cells.at[1].text, "...name.c:1234");
    sheet_end(&sheet, stdout);
}

/* The widest text gives way first, paths at their beginning; columns that are hidden take no room.
 */
static void fits(void **state)
{
    (void)state;
    struct sheet sheet;
    sheet_begin(&sheet, "rll", NULL);
    sheet_cell(&sheet, "12.34%%");
    sheet_cell(&sheet, "a_function_with_a_long_name");
    sheet_cell(&sheet, "/a/folder/and/another/file.c:12");
    assert_int_equal(sheet_width(&sheet), 6 + 2 + 27 + 2 + 31);
    sheet_squeeze(&sheet, 50);
    assert_int_equal(sheet_width(&sheet), 50);
    assert_string_equal(sheet.cells.at[1].text, "a_function_with_a...");
    assert_string_equal(sheet.cells.at[2].text, "...another/file.c:12");
    sheet_hide(&sheet, 1);
    assert_int_equal(sheet_width(&sheet), 6 + 2 + 20);
    sheet_squeeze(&sheet, 1); /* not to nothing */
    assert_int_equal(sheet_width(&sheet), 6 + 2 + 12);
    char text[64] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    sheet_end(&sheet, to);
    fclose(to);
    assert_string_equal(text, "12.34%  ...file.c:12\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_told),
                                       cmocka_unit_test(ends_of_addresses_stay),
                                       cmocka_unit_test(fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
