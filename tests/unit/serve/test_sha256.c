#include "serve/sha256.h"

#include "serve/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void expect(const void *bytes, size_t n, const char *expected)
{
    uint8_t hash[SHA256_BYTES];
    char text[2 * SHA256_BYTES + 1];
    sha256(bytes, n, hash);
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(text, expected);
}

/* As sha256sum(1) has them; lengths around the end of a block, where padding changes. */
static void known_hashes(void **state)
{
    (void)state;
    char many[1000];
    memset(many, 'a', sizeof many);
    expect("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(many, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    expect(many, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    expect(many, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    expect(many, 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

static void base64_of_each_length(void **state)
{
    static const char *const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "/w=="};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bytes text = {0};
        base64_add(&text, i == 5 ? "\xff" : "foob", i == 5 ? 1 : i);
        assert_int_equal(text.n, strlen(expected[i]));
        if (text.n)
            assert_memory_equal(text.at, expected[i], text.n);
        vec_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_hashes),
        cmocka_unit_test(base64_of_each_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
