#include "base/md5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* RFC 1321, A.5, and lengths around the end of a block. */
static const struct {
    const char *text, *digest;
} cases[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
     "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
};

static void digests_are_those_of_the_rfc(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t digest[MD5_BYTES];
        char hex[2 * MD5_BYTES + 1];
        md5(cases[i].text, strlen(cases[i].text), digest);
        for (size_t b = 0; b < MD5_BYTES; b++)
            snprintf(hex + 2 * b, 3, "%02x", digest[b]);
        assert_string_equal(hex, cases[i].digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digests_are_those_of_the_rfc)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
