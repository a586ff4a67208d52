#include "collect/windows/rates.h"

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

/* Timings that scatter as much inside of places as between them say nothing of places; those that
 * do not, all. */
static void chance_is_not_believed(void **state)
{
    (void)state;
    struct rates alike, apart;
    rates_init(&alike);
    rates_init(&apart);
    for (uint64_t i = 0; i < 60; i++) {
        struct rate_place place = {0x10000 * (1 + i % 20), 8};
        rates_add(&alike, &place, i * 7 % 11 < 5 ? 1000 : 3000);
        rates_add(&apart, &place, i % 2 ? 1000 : 3000);
    }
    struct rate_place odd = {0x20000, 8}, even = {0x10000, 8};
    assert_in_range(rates_expect(&alike, &odd, 1), 1600, 2400);
    assert_in_range(rates_expect(&alike, &even, 1), 1600, 2400);
    assert_in_range(rates_expect(&apart, &odd, 1), 1000, 1200);
    assert_in_range(rates_expect(&apart, &even, 1), 2800, 3000);
    rates_release(&alike);
    rates_release(&apart);
}

/* The mean stays what it is, and of two places' difference half is left when windows meet 280
 * exits, a tenth with nine times as many. */
static void variety_is_not_believed(void **state)
{
    (void)state;
    static const struct {
        uint64_t exits, slow, fast;
    } cases[] = {{0, 1000, 3000}, {280, 1500, 2500}, {2520, 1900, 2100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rates rates;
        rates_init(&rates);
        for (uint64_t j = 0; j < 2000; j++) {
            rates_add(&rates, j % 2 ? &loop : &elsewhere, j % 2 ? 1000 : 3000);
            rates_meet(&rates, cases[i].exits);
        }
        assert_in_range(rates_expect(&rates, &loop, 1), cases[i].slow - 3, cases[i].slow + 3);
        assert_in_range(rates_expect(&rates, &elsewhere, 1), cases[i].fast - 3, cases[i].fast + 3);
        rates_release(&rates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known), cmocka_unit_test(chance_is_not_believed),
        cmocka_unit_test(variety_is_not_believed), cmocka_unit_test(places_lean_outward)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
