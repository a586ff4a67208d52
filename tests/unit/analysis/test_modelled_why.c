/* Why an instruction took time, in as few words as say all. */
#include "analysis/pipeline/modelled.h"

#include "model/core/times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void says(uint64_t events, enum account_state state, const char *expected)
{
    char text[256];
    assert_string_equal(modelled_why(events << 8 | state, text, sizeof text), expected);
}

static void of_misses_the_last_is_named(void **state)
{
    (void)state;
    says(0, ACCOUNT_RETIRES, "retires");
    says(CORE_L1D_MISS, ACCOUNT_STALLS, "stalls+l1_miss");
    says(CORE_L1D_MISS | CORE_L2_MISS, ACCOUNT_STALLS, "stalls+l2_miss");
    says(CORE_L1D_MISS | CORE_L2_MISS | CORE_L3_MISS | CORE_MISPREDICT, ACCOUNT_FLUSHES,
         "flushes+l3_miss+mispredict");
    says(CORE_OPCACHE_MISS | CORE_L1I_MISS, ACCOUNT_DRAINED, "drained+l1i_miss");
    says(CORE_OPCACHE_MISS, ACCOUNT_DRAINED, "drained+op_cache_miss");
    /* It may be the code that missed the second. */
    says(CORE_L1D_MISS | CORE_L1I_MISS | CORE_L2_MISS, ACCOUNT_STALLS,
         "stalls+l1_miss+l2_miss+l1i_miss");
    assert_string_equal(modelled_why(UINT64_MAX, (char[32]){0}, 32), "others");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_misses_the_last_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
