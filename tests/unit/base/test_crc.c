#include "base/crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* The definition, a bit at a time. */
static uint32_t by_bits(const uint8_t *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    return ~crc;
}

static void check_value(void **state)
{
    (void)state;
    assert_int_equal(crc32c(0, "123456789", 9), 0xE3069283u);
    assert_int_equal(crc32c_by_table(0, "123456789", 9), 0xE3069283u);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void equals_its_definition(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i ^ i >> 3);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        assert_int_equal(crc32c(0, bytes, n), by_bits(bytes, n));
        assert_int_equal(crc32c_by_table(0, bytes, n), by_bits(bytes, n));
        assert_int_equal(crc32c(crc32c(0, bytes, n / 3), bytes + n / 3, n - n / 3),
                         by_bits(bytes, n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_value),
        cmocka_unit_test(equals_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
