#include "values/payloads.h"

#include "../process/fake_payload.h"

struct seen {
    struct payload_consumer consumer;
    uint64_t n, pc[8], word[8];
};

static void see(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct seen *seen = (struct seen *)consumer;
    assert_true(event->first == (seen->n == 0));
    seen->pc[seen->n] = event->pc;
    seen->word[seen->n++] = event->words[0];
}

static void words_are_what_exits_say(void **state)
{
    (void)state;
    struct fake_code fixture;
    fake_code_open(&fixture, mapped);
    struct with_payload unit = good_payload(5);
    fake_unit(&fixture.fake, &unit, sizeof unit);
    fake_code_read(&fixture);
    assert_int_equal(fixture.units.garbled, 0);
    /* Left by its branch, then by its end. */
    uint32_t exits[] = {5, 6};
    uint64_t words[] = {10, 11, 12, 20, 21, 22, 23};
    struct payload_window window = {
        .tid = 1, .n_exits = 2, .n_words = 7, .exits = exits, .words = words};
    struct payload_sum sum = {0};
    struct seen seen = {.consumer = {see}};
    struct payload_consumer *consumer = &seen.consumer;
    payloads_read(&fixture.units, &window, &sum, &consumer, 1);
    assert_int_equal(seen.n, 5);
    static const uint64_t pc[] = {0x1000, 0x1000, 0x1000, 0x1000, 0x100c},
                          first[] = {10, 11, 20, 21, 23};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(seen.pc[i], pc[i]);
        assert_int_equal(seen.word[i], first[i]);
    }
    assert_int_equal(sum.events[PAYLOAD_VECTOR], 2);
    assert_int_equal(sum.instructions, 10);
    window.n_words = 6;
    payloads_read(&fixture.units, &window, &sum, NULL, 0);
    exits[1] = 77;
    window.n_words = 7;
    payloads_read(&fixture.units, &window, &sum, NULL, 0);
    assert_int_equal(sum.astray, 2);
    assert_int_equal(sum.windows, 1);
    fake_code_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_what_exits_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
