#include "collect/rates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct rate_place loop = {0x5000, 12}, loop_less = {0x5000, 3},
                               same_page = {0x5f00, 8}, elsewhere = {0x9000, 8};

static void nothing_known(void **state)
{
    (void)state;
    struct rates rates;
    rates_init(&rates);
    assert_int_equal(rates_expect(&rates, &loop, 77), 77);
    rates_release(&rates);
}

/* A place with many timings goes by them; one with none by its page, one without a page by all. */
static void places_lean_outward(void **state)
{
    (void)state;
    struct rates rates;
    rates_init(&rates);
    for (int i = 0; i < 1000; i++)
        rates_add(&rates, &loop, 4000);
    for (int i = 0; i < 1000; i++)
        rates_add(&rates, &loop_less, 2000);
    assert_in_range(rates_expect(&rates, &loop, 1), 3990, 4000);
    assert_in_range(rates_expect(&rates, &loop_less, 1), 2000, 2010);
    assert_in_range(rates_expect(&rates, &same_page, 1), 2990, 3010);
    rates_add(&rates, &elsewhere, 9000);
    assert_in_range(rates_expect(&rates, &elsewhere, 1), 7000, 8900);
    rates_release(&rates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_known),
                                       cmocka_unit_test(places_lean_outward)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
