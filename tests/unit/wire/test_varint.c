#include "wire/varint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void check(uint64_t value)
{
    uint8_t bytes[VARINT_BYTES_MAX + 1];
    memset(bytes, 0xff, sizeof bytes);
    const uint8_t *end = varint_put(bytes, value);
    assert_true(end - bytes <= VARINT_BYTES_MAX);
    for (const uint8_t *cut = bytes; cut < end; cut++) {
        const uint8_t *at = bytes;
        uint64_t got = 1234;
        assert_false(varint_get(&at, cut, &got));
        assert_ptr_equal(at, bytes);
        assert_int_equal(got, 1234);
    }
    const uint8_t *at = bytes;
    uint64_t got = 0;
    assert_true(varint_get(&at, bytes + sizeof bytes, &got));
    assert_ptr_equal(at, end);
    assert_true(got == value);
    at = bytes;
    u128 wide = 0;
    assert_true(varint_get_wide(&at, end, &wide));
    assert_ptr_equal(at, end);
    assert_true(wide == value);
    assert_true(varint_unfold(varint_fold(value)) == value);
}

static void check_wide(u128 value)
{
    uint8_t bytes[VARINT_WIDE_BYTES_MAX];
    const uint8_t *end = varint_put_wide(bytes, value);
    assert_true(end - bytes <= VARINT_WIDE_BYTES_MAX);
    const uint8_t *at = bytes;
    u128 got = 0;
    assert_false(varint_get_wide(&at, end - 1, &got));
    assert_ptr_equal(at, bytes);
    assert_true(varint_get_wide(&at, end, &got));
    assert_ptr_equal(at, end);
    assert_true(got == value);
    uint64_t narrow;
    at = bytes;
    assert_int_equal(varint_get(&at, end, &narrow), value <= UINT64_MAX);
}

static void what_was_put_is_got(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        check((uint64_t)1 << bit);
        check(((uint64_t)1 << bit) - 1);
        check(0 - ((uint64_t)1 << bit));
        check(random_next() >> bit);
    }
    for (unsigned bit = 0; bit < 128; bit++) {
        check_wide((u128)1 << bit);
        check_wide(((u128)1 << bit) - 1);
        check_wide(0 - ((u128)1 << bit));
        check_wide(((u128)random_next() << 64 | random_next()) >> bit);
    }
}

static void small_differences_are_short(void **state)
{
    (void)state;
    uint8_t bytes[VARINT_BYTES_MAX];
    assert_int_equal(varint_put(bytes, varint_fold((uint64_t)-64)) - bytes, 1);
    assert_int_equal(varint_put(bytes, varint_fold(63)) - bytes, 1);
    assert_int_equal(varint_fold((uint64_t)-1), 1);
    assert_int_equal(varint_fold(1), 2);
}

static bool narrow_accepts(const char *bytes, size_t n)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t value;
    return varint_get(&at, (const uint8_t *)bytes + n, &value);
}

static bool wide_accepts(const char *bytes, size_t n)
{
    const uint8_t *at = (const uint8_t *)bytes;
    u128 value;
    return varint_get_wide(&at, (const uint8_t *)bytes + n, &value);
}

static void other_encodings_are_refused(void **state)
{
    (void)state;
    assert_false(narrow_accepts("", 0));
    assert_false(narrow_accepts("\x80\x00", 2));
    assert_false(wide_accepts("\x81\x80\x00", 3));
    assert_true(narrow_accepts("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
    assert_false(narrow_accepts("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
    assert_false(narrow_accepts("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11));
    assert_false(narrow_accepts("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12));
    const char *ones = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    char wide[20];
    memcpy(wide, ones, 18);
    wide[18] = 0x03;
    assert_true(wide_accepts(wide, 19));
    wide[18] = 0x04;
    assert_false(wide_accepts(wide, 19));
    wide[18] = (char)0x83;
    wide[19] = 0;
    assert_false(wide_accepts(wide, 20));
}

/* With and without room behind it, any bytes are read alike. */
static void what_follows_does_not_matter(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint8_t bytes[16];
        uint64_t value[2] = {1, 1};
        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)(random_next() >> 32 & (random_next() & 1 ? 0xff : 0x80));
        size_t n = 0;
        while (n < sizeof bytes && bytes[n] & 0x80)
            n++;
        const uint8_t *near = bytes, *far = bytes;
        bool got = varint_get(&near, bytes + (n < 15 ? n + 1 : 16), &value[0]);
        assert_int_equal(varint_get(&far, bytes + sizeof bytes, &value[1]), got);
        assert_ptr_equal(near, far);
        assert_true(value[0] == value[1]);
        u128 wide;
        const uint8_t *at = bytes;
        if (got) {
            assert_true(varint_get_wide(&at, bytes + sizeof bytes, &wide) && wide == value[0]);
            assert_ptr_equal(at, near);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_got),
        cmocka_unit_test(small_differences_are_short),
        cmocka_unit_test(other_encodings_are_refused),
        cmocka_unit_test(what_follows_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
