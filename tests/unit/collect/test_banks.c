#include "collect/channel/banks.h"

#include "base/err.h"
#include "collect/channel/share.h"
#include "../process/fake.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { INDEX = 3, COUNTERS = 5000 };

struct fixture {
    struct share share;
    struct fake fake;
    struct banks banks;
};

static void open_fixture(struct fixture *fixture)
{
    struct err err;
    struct record_options options = {.mode = RECORD_EXACT_COUNTS};
    assert_true(share_create(&fixture->share, &options, &err));
    fixture->fake.channel = share_map(&fixture->share, INDEX);
    assert_non_null(fixture->fake.channel);
    fixture->fake.channel->counters = COUNTERS;
    banks_init(&fixture->banks, &fixture->share, INDEX, fixture->fake.channel);
}

static void close_fixture(struct fixture *fixture)
{
    banks_release(&fixture->banks);
    share_unmap(fixture->fake.channel);
    share_release(&fixture->share);
}

/* A thread takes the slot, with a bank of its own. */
static uint64_t *enter(struct fixture *fixture, uint32_t slot)
{
    struct channel *channel = fixture->fake.channel;
    uint64_t *bank = share_map_bank(&fixture->share, INDEX, slot);
    assert_non_null(bank);
    if (channel->n_threads <= slot)
        channel->n_threads = slot + 1;
    channel_threads(channel)[slot].tid = 100 + (int32_t)slot;
    return bank;
}

/* Bytes of memory that the banks of the channel have. */
static uint64_t resident(const struct fixture *fixture)
{
    uint64_t sum = 0, at = channel_bank_at(INDEX, 0);
    struct share_stretch stretch = {at, at};
    while (share_next(&fixture->share, &stretch, channel_bank_at(INDEX + 1, 0)))
        sum += stretch.end - stretch.start;
    return sum;
}

static void counters_of_all_threads_add_up(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    uint64_t random = 88172645463325252u, *expected = calloc(COUNTERS, sizeof *expected);
    const uint32_t slots[] = {0, 1, 700, CHANNEL_THREADS - 1};
    for (size_t t = 0; t < 4; t++) {
        uint64_t *bank = enter(&fixture, slots[t]);
        for (int i = 0; i < 300; i++) {
            uint64_t at = fake_random(&random) % COUNTERS, n = fake_random(&random) >> 20;
            bank[at] += n;
            expected[at] += n;
        }
        share_unmap_bank(bank);
    }
    for (int i = 0; i < COUNTERS; i += 7) {
        fake_counters(&fixture.fake)[i] = (uint64_t)i;
        expected[i] += (uint64_t)i;
    }
    uint64_t *other = enter(&fixture, 5); /* one that left: what is there is nobody's */
    other[1] = 1000;
    channel_threads(fixture.fake.channel)[5].tid = 0;
    assert_true(banks_read(&fixture.banks, UINT64_MAX, false));
    assert_int_equal(fixture.banks.sum.n, COUNTERS);
    assert_memory_equal(fixture.banks.sum.at, expected, COUNTERS * sizeof *expected);
    assert_int_equal(fixture.banks.threads, 5);
    share_unmap_bank(other);
    free(expected);
    close_fixture(&fixture);
}

static void reading_makes_no_memory(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    uint64_t *bank = enter(&fixture, 2);
    bank[4000] = 1;
    uint64_t before = resident(&fixture);
    assert_true(before > 0);
    assert_true(banks_read(&fixture.banks, UINT64_MAX, true));
    assert_int_equal(fixture.banks.sum.at[4000], 1);
    assert_int_equal(resident(&fixture), before);
    share_unmap_bank(bank);
    share_free(&fixture.share, INDEX);
    assert_int_equal(resident(&fixture), 0);
    close_fixture(&fixture);
}

/* Threads count, end and begin anew while they are read: nothing is lost or had twice. */
struct busy {
    struct fixture *fixture;
    uint64_t *bank;
    uint32_t stop;
};

static void end_and_begin(struct busy *busy)
{
    struct channel *channel = busy->fixture->fake.channel;
    uint64_t *own = fake_counters(&busy->fixture->fake);
    __atomic_store_n(&channel->merges, channel->merges + 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < COUNTERS; i++) {
        __atomic_store_n(&own[i], own[i] + busy->bank[i], __ATOMIC_RELAXED);
        __atomic_store_n(&busy->bank[i], 0, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&channel->merges, channel->merges + 1, __ATOMIC_RELEASE);
}

static void *keep_busy(void *argument)
{
    struct busy *busy = argument;
    uint64_t *own = fake_counters(&busy->fixture->fake);
    while (!__atomic_load_n(&busy->stop, __ATOMIC_RELAXED)) {
        end_and_begin(busy);
        for (int i = 0; i < COUNTERS; i++) { /* all in the bank again: one each, always */
            __atomic_store_n(&busy->fixture->fake.channel->merges,
                             busy->fixture->fake.channel->merges + (i == 0), __ATOMIC_SEQ_CST);
            __atomic_store_n(&own[i], 0, __ATOMIC_RELAXED);
            __atomic_store_n(&busy->bank[i], 1, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&busy->fixture->fake.channel->merges,
                         busy->fixture->fake.channel->merges + 1, __ATOMIC_RELEASE);
        usleep(500);
    }
    return NULL;
}

static void threads_that_end_meanwhile_are_had_once(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    struct busy busy = {.fixture = &fixture, .bank = enter(&fixture, 0)};
    for (int i = 0; i < COUNTERS; i++)
        busy.bank[i] = 1;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, keep_busy, &busy), 0);
    int whole = 0;
    for (int i = 0; i < 300; i++) {
        if (!banks_read(&fixture.banks, UINT64_MAX, false))
            continue;
        whole++;
        for (int c = 0; c < COUNTERS; c++)
            assert_int_equal(fixture.banks.sum.at[c], 1);
    }
    assert_true(whole > 100);
    __atomic_store_n(&busy.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    share_unmap_bank(busy.bank);
    close_fixture(&fixture);
}

/* One that died over the end of a thread leaves the number odd for ever. */
static void the_last_reading_does_not_wait(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fixture.fake.channel->merges = 7;
    fake_counters(&fixture.fake)[9] = 4;
    assert_false(banks_read(&fixture.banks, UINT64_MAX, false));
    assert_true(banks_read(&fixture.banks, UINT64_MAX, true));
    assert_int_equal(fixture.banks.sum.at[9], 4);
    fixture.fake.channel->merges = 8;
    fixture.fake.channel->counters = UINT64_MAX;
    assert_true(banks_read(&fixture.banks, UINT64_MAX, false));
    assert_int_equal(fixture.banks.sum.n, CHANNEL_COUNTERS_BYTES / 8);
    assert_true(banks_read(&fixture.banks, 10, false));
    assert_int_equal(fixture.banks.sum.n, 10);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_of_all_threads_add_up),
        cmocka_unit_test(reading_makes_no_memory),
        cmocka_unit_test(threads_that_end_meanwhile_are_had_once),
        cmocka_unit_test(the_last_reading_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
