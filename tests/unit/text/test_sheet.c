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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
