#include "records/expression.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct parameter parameters[] = {{"width", 4}, {NULL, 0}};

static struct sample first, second;

static bool value_of(const char *text, const struct subject *subject, long double *ret_value)
{
    struct expression expression;
    struct err err;
    assert_true(expression_parse(&expression, text, parameters, &err));
    bool known = expression_value(&expression, subject, ret_value);
    expression_release(&expression);
    return known;
}

static void gives(const char *text, const struct subject *subject, double wanted)
{
    long double value = -12345;
    assert_true(value_of(text, subject, &value));
    assert_true(value == wanted);
}

static void unknown(const char *text, const struct subject *subject)
{
    long double value;
    assert_false(value_of(text, subject, &value));
}

static void refused(const char *text, const char *why, size_t character)
{
    struct expression expression;
    struct err err;
    char at[32];
    assert_false(expression_parse(&expression, text, parameters, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_non_null(strstr(err.text, why));
    snprintf(at, sizeof at, "character %zu,", character);
    assert_non_null(strstr(err.text, at));
}

static int subjects_make(void **state)
{
    (void)state;
    first = second = (struct sample){0};
    sample_set(&first, SAMPLE_FETCH, 0);
    sample_set(&first, SAMPLE_ISSUE, 7);
    sample_set(&first, SAMPLE_DONE, 30);
    sample_set(&first, SAMPLE_PC, 0xfffffffffffffff1);
    sample_event(&first, EVENT_RETIRED, true);
    sample_event(&first, EVENT_L1_MISS, false);
    sample_set(&second, SAMPLE_FETCH, 0);
    sample_set(&second, SAMPLE_ISSUE, 9);
    sample_set(&second, SAMPLE_APART, 20);
    sample_event(&second, EVENT_RETIRED, false);
    return 0;
}

static void operators_bind_as_in_c(void **state)
{
    (void)state;
    struct subject alone = subject_alone(&first);
    gives("1 + 2 * 3", &alone, 7);
    gives("(1 + 2) * 3", &alone, 9);
    gives("10 - 4 - 3", &alone, 3);
    gives("24 / 4 / 3", &alone, 2);
    gives("-2 * -3", &alone, 6);
    gives("- - 5", &alone, 5);
    gives("1 < 2 == 1", &alone, 1);
    gives("2 > 1 && 1 > 2 || 1", &alone, 1);
    gives("1 || 0 && 0", &alone, 1);
    gives("!0 + !3", &alone, 1);
    gives("1 != 2", &alone, 1);
    gives("min(3, max(1, 2)) + abs(1 - 4) + floor(7 / 2)", &alone, 8);
    gives("0x10 + .5", &alone, 16.5);
    gives("width * (done - issue) / 2", &alone, 46);
    gives("self . done", &alone, 30);
}

/* Addresses keep all their bits. */
static void numbers_are_wide(void **state)
{
    (void)state;
    struct subject alone = subject_alone(&first);
    gives("pc == 18446744073709551601", &alone, 1);
    gives("pc == 18446744073709551600", &alone, 0);
}

static void what_is_not_measured_is_no_number(void **state)
{
    (void)state;
    struct subject alone = subject_alone(&first);
    unknown("retire", &alone);
    unknown("retire - done > 3", &alone);
    unknown("mispredicted", &alone); /* not even whether it would have been told */
    unknown("!mispredicted", &alone);
    unknown("other.issue", &alone);
    unknown("1 / 0", &alone);
    unknown("1 && mispredicted", &alone);
    unknown("mispredicted || l1_miss", &alone);
    gives("l1_miss && mispredicted", &alone, 0);
    gives("mispredicted && l1_miss", &alone, 0);
    gives("mispredicted || retired", &alone, 1);
}

/* The second was fetched 20 cycles after the first. */
static void both_are_on_one_clock(void **state)
{
    (void)state;
    struct subject forth = subject_of_pair(&first, &second, true);
    struct subject back = subject_of_pair(&first, &second, false);
    gives("other.issue - self.fetch", &forth, 29);
    gives("other.issue < self.done", &forth, 1);
    gives("other.retired && other.issue < self.done", &forth, 0);
    gives("self.issue - self.fetch", &back, 9);
    gives("other.issue - self.fetch", &back, -13);
    second.known &= ~((uint64_t)1 << SAMPLE_APART);
    forth = subject_of_pair(&first, &second, true);
    back = subject_of_pair(&first, &second, false);
    unknown("other.issue - self.fetch", &forth);
    unknown("other.issue - self.fetch", &back);
    gives("self.issue - self.fetch", &back, 9);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    char deep[200];
    refused("", "missing at the end", 1);
    refused("1 +", "missing at the end", 4);
    refused("1 2", "operator", 3);
    refused("1 + pcs", "no such field", 5);
    refused("self", "dot", 5);
    refused("other.nothing", "no such field", 7);
    refused("(1", "closing parenthesis", 3);
    refused("min(1)", "comma", 6);
    refused("max 3", "parentheses", 5);
    refused("3cycles", "not a number", 1);
    refused("1 & 2", "operator", 3);
    refused("$", "must stand here", 1);
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    refused(deep, "nested", 33);
    memset(deep, '!', sizeof deep - 1);
    refused(deep, "nested", 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(operators_bind_as_in_c, subjects_make),
        cmocka_unit_test_setup(numbers_are_wide, subjects_make),
        cmocka_unit_test_setup(what_is_not_measured_is_no_number, subjects_make),
        cmocka_unit_test_setup(both_are_on_one_clock, subjects_make),
        cmocka_unit_test_setup(mistakes_are_told, subjects_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
