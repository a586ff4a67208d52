/* Copied stacks: addresses and zeros come back, whatever lies around them. */
#include "wire/stack_words.h"

// clang-format off: cmocka's headers must come in this order
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

enum { MOST = 300 };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t some_word(uint64_t *state)
{
    switch (next(state) % 5) {
    case 0: return 0;
    case 1: return UINT64_C(0x7ffc00000000) + next(state) % 4096;
    case 2: return UINT64_C(0x555500000000) + next(state) % 4096;
    case 3: return next(state) % 65536;
    default: return next(state) | UINT64_C(1) << 63;
    }
}

static uint64_t expected(uint64_t word)
{
    return word == 0 || (word >= 65536 && word >> 47 == 0) ? word : STACK_WORD_OTHER;
}

static void words_come_back(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (uint32_t n = 0; n <= MOST; n++) {
        uint64_t words[MOST], room[STACK_WORDS_ROOM(MOST)], back[MOST + 1];
        uint64_t *raw = room + STACK_WORDS_ROOM(MOST) - MOST;
        for (uint32_t i = 0; i < n; i++)
            words[i] = some_word(&random);
        memcpy(raw, words, n * sizeof *words);
        uint32_t used = stack_words_encode(room, raw, n); /* one array for both */
        assert_true(used <= STACK_WORDS_ROOM(n));
        back[n] = 12345;
        assert_true(stack_words_decode(room, used, back, n));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(back[i], expected(words[i]));
        assert_int_equal(back[n], 12345);
        for (uint32_t cut = 0; cut < used; cut++)
            assert_false(stack_words_decode(room, cut, back, n));
    }
}

static void little_is_kept_of_a_buffer(void **state)
{
    (void)state;
    uint64_t words[128], room[STACK_WORDS_ROOM(128)];
    memset(words, 'a', sizeof words);
    words[100] = 0x401234;
    assert_int_equal(stack_words_encode(room, words, 128), 2 * STACK_WORDS_MASKS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_back),
        cmocka_unit_test(little_is_kept_of_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
