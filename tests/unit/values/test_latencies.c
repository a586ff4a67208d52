#include "values/latencies.h"

#include "profile/value_kinds.h"

#include "../process/fake_code.h"

enum { WINDOWS = 100, EXITS = 6 };

struct unit {
    struct wire_superblock header;
    struct wire_segment segments[2];
    struct wire_payload items[5];
};

/* Two loads in five instructions, which are left behind the third or behind the last; of the second
 * load the address is not recorded. */
static const struct unit unit = {
    .header = {.kind = UNIT_SUPERBLOCK,
               .bytes = sizeof(struct unit),
               .first_exit = 4,
               .n_segments = 2,
               .n_exits = 2,
               .n_payload = 5},
    .segments =
        {{.start = 0x2000,
          .target = 0x5000,
          .bytes = 9,
          .last_bytes = 3,
          .instructions = 3,
          .end = SEGMENT_COND},
         {.start = 0x2009, .bytes = 6, .last_bytes = 3, .instructions = 2, .end = SEGMENT_RETURN}},
    .items = {{.instruction = 1, .offset = 3, .kind = PAYLOAD_ADDRESS, .words = 1},
              {.instruction = 1, .offset = 3, .kind = PAYLOAD_VECTOR, .words = 2},
              {.instruction = 1, .offset = 3, .kind = PAYLOAD_LATENCY, .words = 1},
              {.instruction = 4, .offset = 3, .kind = PAYLOAD_OPERAND, .words = 1},
              {.instruction = 4, .offset = 3, .kind = PAYLOAD_LATENCY, .words = 1}}};

/* Each event by itself. */
struct listener {
    struct payload_consumer consumer;
    uint64_t timed[2], ticks[2];
};

static void listen(struct payload_consumer *consumer, const struct payload_event *event)
{
    struct listener *listener = (struct listener *)consumer;
    if (event->item->kind != PAYLOAD_LATENCY || !event->words[0])
        return;
    int load = event->pc == 0x200c;
    assert_true(load || event->pc == 0x2003);
    listener->timed[load]++;
    listener->ticks[load] += event->words[0];
}

static struct payload_window window_make(struct random *random, uint32_t *exits, uint64_t *words)
{
    struct payload_window window = {1, EXITS, 0, exits, words};
    for (uint32_t i = 0; i < EXITS; i++) {
        exits[i] = 4 + random_next(random) % 2;
        uint32_t n = exits[i] == 5 ? 6 : 4;
        for (uint32_t k = 0; k < n; k++) {
            bool latency = k == 3 || k == 5;
            uint64_t some = 1 + random_next(random) % 1000;
            words[window.n_words++] = latency && random_next(random) % 4 ? 0 : some;
        }
    }
    return window;
}

static uint64_t row_sum(const struct batch *batch, uint64_t offset, uint64_t *ret_ticks)
{
    uint64_t count = 0;
    *ret_ticks = 0;
    for (uint32_t i = 0; i < batch->latencies.cells.n; i++) {
        const struct latency_key *key = map_key(&batch->latencies.keys, i);
        if (key->address.v % 0x1000 != offset || key->data)
            continue;
        count += batch->latencies.cells.at[i].count;
        *ret_ticks += batch->latencies.cells.at[i].time;
    }
    return count;
}

/* Only words that are latencies are looked at: what is told is the same. */
static void windows_tell_what_events_do(void **state)
{
    (void)state;
    struct fake_code code;
    fake_code_open(&code, (struct wire_map){.start = 0x1000, .end = 0x9000});
    fake_unit(&code.fake, &unit, sizeof unit);
    fake_code_read_good(&code);

    struct value_lists lists;
    struct latencies latencies;
    struct latency_scale scale = {0}; /* nothing is taken off */
    struct batch batch;
    struct listener listener = {.consumer = {listen}};
    struct payload_consumer *consumers[] = {&listener.consumer};
    struct payload_sum sum = {0};
    value_lists_init(&lists, &code.units);
    latencies_init(&latencies, &lists);
    latencies.scale = &scale;
    batch_init(&batch);
    struct random random = {3};
    uint64_t timed = 0;
    for (uint32_t w = 0; w < WINDOWS; w++) {
        uint32_t exits[EXITS];
        uint64_t words[6 * EXITS];
        struct payload_window window = window_make(&random, exits, words);
        payloads_read(&code.units, &window, &sum, consumers, 1);
        assert_true(value_lists_take(&lists, &window, &window, 1));
        timed += latencies_window(&latencies, &window);
    }
    latencies_flush(&latencies, &batch);
    assert_int_equal(sum.astray, 0);
    assert_true(listener.timed[0] > WINDOWS && listener.timed[1] > WINDOWS / 2);
    assert_int_equal(timed, sum.timed);
    const uint64_t offsets[] = {0x003, 0x00c};
    for (int load = 0; load < 2; load++) {
        uint64_t ticks;
        assert_int_equal(row_sum(&batch, offsets[load], &ticks), listener.timed[load]);
        assert_int_equal(ticks, listener.ticks[load]);
    }
    /* Lines are those of the load whose address is known. */
    uint32_t lines = 0;
    for (uint32_t i = 0; i < lists.places.keys.n; i++)
        if (value_places_key(&lists.places, i).kind == VALUE_OF_LINE) {
            assert_int_equal(value_places_key(&lists.places, i).address % 0x1000, 0x003);
            lines++;
        }
    assert_int_equal(lines, 1);

    batch_release(&batch);
    latencies_release(&latencies);
    value_lists_release(&lists);
    fake_code_close(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_tell_what_events_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
