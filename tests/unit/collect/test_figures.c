/* Counters of a channel: what can be is taken, what cannot is refused and counted. */
#include "collect/channel/figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

static const uint64_t SECOND = 1000000000;

static struct channel *channel_of(uint64_t hz)
{
    struct channel *channel = calloc(1, sizeof *channel);
    assert_non_null(channel);
    channel->tsc_hz = hz;
    return channel;
}

static void what_can_be_is_taken(void **state)
{
    (void)state;
    struct channel *channel = channel_of(2 * SECOND);
    struct figures figures;
    channel->interrupts = 5000;
    channel->handler_ticks = SECOND;
    channel->interrupt_ticks = SECOND / 2;
    channel->losses[LOSS_at_syscall] = 1234;
    channel->losses[LOSS_path_lost] = 3 * SECOND;
    figures_read(channel, 10 * SECOND, false, &figures);
    assert_int_equal(figures.refused, 0);
    assert_int_equal(figures.interrupts, 5000);
    assert_int_equal(figures.handler_ns, SECOND / 2);
    assert_int_equal(figures.delivery_ns, SECOND / 4);
    assert_int_equal(figures.losses[LOSS_at_syscall], 1234);
    assert_int_equal(figures.losses[LOSS_path_lost], 3 * SECOND);
    free(channel);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct channel *channel = channel_of(2 * SECOND);
    struct figures figures;
    channel->interrupts = UINT64_C(1) << 63;
    channel->handler_ticks = UINT64_MAX;
    channel->interrupt_ticks = UINT64_MAX - 7;
    channel->losses[LOSS_at_syscall] = 804043712039485440;
    channel->losses[LOSS_cut] = 7;
    channel->losses[LOSS_astray] = 1; /* only the tool can know */
    figures_read(channel, 10 * SECOND, true, &figures);
    assert_int_equal(figures.refused, 5);
    assert_int_equal(figures.interrupts, 0);
    assert_int_equal(figures.handler_ns + figures.delivery_ns, 0);
    assert_int_equal(figures.losses[LOSS_at_syscall], 0);
    assert_int_equal(figures.losses[LOSS_cut], 7);
    assert_int_equal(figures.losses[LOSS_astray], 0);
    free(channel);
}

/* A rate of the clock that no processor has makes all times refused, not endless. */
static void a_clock_that_cannot_be_is_refused(void **state)
{
    (void)state;
    struct channel *channel = channel_of(3);
    struct figures figures;
    channel->handler_ticks = SECOND;
    figures_read(channel, SECOND, true, &figures);
    assert_int_equal(figures.refused, 1);
    assert_int_equal(figures.handler_ns, 0);
    free(channel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_is_taken),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_clock_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
