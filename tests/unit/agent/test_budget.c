/* The budget as a simulated program meets it: whatever samples cost, what is spent stays within
 * what was asked for, and nearly all of it is used. */
#include "agent/sampling/budget.h"

#include "agent/base/process.h"
#include "agent/base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdlib.h>

enum { TICKS_PER_MS = 2000000, US = TICKS_PER_MS / 1000, PPM = 10000 };

static struct channel *channel;
static struct thread *thread;

/* A process that samples with perf's clock unless `timer`, before its first sample. */
static void begin(const struct record_options *options, bool timer)
{
    free(channel), free(thread);
    channel = calloc(1, sizeof *channel);
    thread = aligned_alloc(64, sizeof *thread);
    assert_non_null(channel);
    assert_non_null(thread);
    agent = (struct agent){.channel = channel, .options = *options, .ticks_per_ms = TICKS_PER_MS};
    agent.delivery_ticks = 10 * US;
    agent.means.entry_ticks = 10 * US;
    budget_init();
    *thread = (struct thread){.random = 88172645463325252, .perf_fd = timer ? -1 : 3};
    thread->means = agent.means;
}

static int end(void **state)
{
    (void)state;
    free(channel), free(thread);
    channel = NULL, thread = NULL;
    return 0;
}

/* What parts of a sample cost, beside what the walked instructions take natively. */
struct prices {
    uint64_t rest_us, window_us, trail_us, tool_us;
};

static uint64_t windows, trails;

/* Runs for so much CPU time. A timer comes at the next tick. Returns what was spent, in millionths.
 */
static uint64_t spend_parts(uint64_t seconds, const struct prices *prices)
{
    uint64_t ran = agent.ran_ns, spent = agent.spent_ns, tool = channel->tool_cpu_ns;
    windows = trails = 0;
    while (agent.ran_ns - ran < seconds * 1000000000) {
        uint64_t next = budget_next_ns(thread);
        agent.ran_ns += thread->perf_fd >= 0 ? next : next + agent.tick_ns / 2;
        struct sample_parts parts = budget_parts(thread);
        struct sample_cost cost = {0};
        cost.window.ticks = parts.window ? prices->window_us * US : 0;
        cost.trail.ticks = parts.trail ? prices->trail_us * US : 0;
        cost.handler_ticks = prices->rest_us * US + cost.window.ticks + cost.trail.ticks;
        windows += parts.window;
        trails += parts.trail != 0;
        thread->means.windows += parts.window;
        agent.windows_begun += parts.window;
        budget_spend(thread, &cost);
        channel->tool_cpu_ns += parts.window ? prices->tool_us * 1000 : 0;
    }
    uint64_t cost_ns = agent.spent_ns - spent + channel->tool_cpu_ns - tool;
    return cost_ns * 1000 / ((agent.ran_ns - ran) / 1000);
}

/* Samples with a window each. */
static uint64_t spend(uint64_t seconds, uint64_t window_us, uint64_t tool_us)
{
    return spend_parts(seconds, &(struct prices){.window_us = window_us, .tool_us = tool_us});
}

/* Clocks disagree where a machine shares its CPUs: samples may seem to come early, all of them. */
static void early_samples_cost_no_less_than_nothing(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM}, false);
    for (int i = 0; i < 1000; i++)
        budget_entered(thread, 0);
    assert_true(thread->means.entry_ticks <= agent.delivery_ticks);
    assert_int_equal(budget_interrupt_ticks(thread), agent.delivery_ticks);
    budget_entered(thread, 1000);
    assert_true(thread->means.entry_ticks < 1000 * US);
}

/* Where a program is mostly in the kernel, most interrupts come as late as that takes. */
static void late_samples_are_the_kernels(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM}, false);
    for (int i = 0; i < 1000; i++)
        budget_entered(thread, i % 4 ? 2000 * 1000 : 12 * 1000);
    assert_in_range(thread->means.entry_ticks, 8 * US, 14 * US);
}

static void keeps_within_what_was_asked(void **state)
{
    (void)state;
    for (uint32_t ppm = PPM; ppm <= 10 * PPM; ppm *= 10)
        for (uint64_t us = 50; us <= 800; us *= 2) {
            begin(&(struct record_options){.overhead_ppm = ppm}, false);
            uint64_t used = spend(20, us, us / 2);
            assert_in_range(used, ppm * 7 / 10, ppm);
        }
}

static void saves_again_what_a_start_took(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM}, false);
    agent.spent_ns = 15 * 1000 * 1000; /* as much as a second and a half allows */
    assert_in_range(spend(40, 200, 100), PPM / 2, PPM * 9 / 10);
    uint64_t all = (agent.spent_ns + channel->tool_cpu_ns) * 1000 / (agent.ran_ns / 1000);
    assert_in_range(all, PPM * 6 / 10, PPM);
}

static void a_fixed_rate_is_kept_whatever_it_costs(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM, .fixed_hz = 2000}, false);
    uint64_t sum = 0;
    for (int i = 0; i < 10000; i++)
        sum += budget_next_ns(thread);
    assert_in_range(sum / 10000, 490000, 510000);
}

static void periods_differ_by_a_quarter_of_their_mean(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM, .fixed_hz = 1000}, false);
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t next = budget_next_ns(thread);
        least = next < least ? next : least;
        most = next > most ? next : most;
    }
    assert_in_range(least, 750000, 752000);
    assert_in_range(most, 1248000, 1250000);
}

/* One sample that lost the CPU for a second counts as twice the mean, no more. */
static void one_lost_second_does_not_stop_sampling(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM}, false);
    spend(5, 200, 100);
    uint64_t before = thread->means.rest_ticks;
    struct sample_cost lost = {.handler_ticks = UINT64_C(1000) * TICKS_PER_MS};
    budget_spend(thread, &lost);
    assert_true(thread->means.rest_ticks <= before + before / 8);
}

/* Where ticks of the kernel come too seldom for the budget, windows become longer. */
static void timers_that_come_seldom_get_longer_windows(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = 10 * PPM}, true);
    agent.tick_ns = 4000000;
    uint64_t first = thread->means.window;
    spend(5, 20, 10);
    assert_true(thread->means.window > 2 * first);
    begin(&(struct record_options){.overhead_ppm = 10 * PPM, .window = 5000}, true);
    agent.tick_ns = 4000000;
    spend(5, 20, 10);
    assert_int_equal(thread->means.window, 5000);
}

static void trails_that_do_not_count_cost_a_share_of_the_rest(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM}, false);
    for (thread->means.windows = 0; thread->means.windows < 24; thread->means.windows++)
        assert_true(budget_parts(thread).trail > 0);
    thread->means.rest_ticks = 40 * US;
    thread->means.window_ticks = 60 * US;
    thread->means.trail_ticks = 60 * US;
    uint64_t ticks = 0;
    for (int i = 0; i < 100000; i++) {
        struct sample_parts parts = budget_parts(thread);
        assert_true(parts.window);
        ticks += parts.trail ? 60 * US : 0;
    }
    assert_in_range(ticks / 100000, 16 * US, 20 * US);
}

/* Every tick is a sample; trails and windows use what is left, in their proportion. */
static void ticks_windows_and_trails_share_the_budget(void **state)
{
    (void)state;
    struct prices prices = {.rest_us = 3, .window_us = 60, .trail_us = 40, .tool_us = 100};
    begin(&(struct record_options){.overhead_ppm = PPM, .tally = 1}, true);
    agent.delivery_ticks = agent.means.entry_ticks = thread->means.entry_ticks = 2 * US;
    thread->means.rest_ticks = 5 * US;
    agent.tick_ns = 4000000;
    assert_in_range(spend_parts(40, &prices), PPM * 7 / 10, PPM);
    assert_in_range(trails / 40, 40, 200);
    assert_in_range(windows / 40, 10, 30);
}

/* Where windows cost much in the tool they are few, but not none. */
static void expensive_windows_are_few(void **state)
{
    (void)state;
    struct prices prices = {.rest_us = 3, .window_us = 200, .trail_us = 40, .tool_us = 2000};
    begin(&(struct record_options){.overhead_ppm = PPM, .tally = 1}, true);
    agent.delivery_ticks = agent.means.entry_ticks = thread->means.entry_ticks = 2 * US;
    agent.tick_ns = 4000000;
    spend_parts(40, &prices);
    assert_in_range(windows, 40, 400);
    assert_true(trails / 40 > 12);
}

/* Where trails come to system calls, they become shorter, and longer again. */
static void trails_suit_the_distance_of_system_calls(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM, .tally = 1}, true);
    thread->period_ns = 4000000;
    thread->means.rest_ticks = thread->means.trail_ticks = 3 * US;
    uint64_t first = thread->means.trail;
    for (int i = 0; i < 200; i++) {
        budget_trail_ended(thread, true);
        budget_parts(thread);
    }
    assert_true(thread->means.trail < first / 4);
    for (int i = 0; i < 400; i++) {
        budget_trail_ended(thread, false);
        budget_parts(thread);
    }
    assert_true(thread->means.trail >= first - first / 8);
}

/* Whatever the chance of a trail, each place of the code has them in that proportion. */
static void trails_are_spread_as_samples_are(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM, .tally = 1}, true);
    thread->period_ns = 4000000;
    thread->means.rest_ticks = 3 * US;
    int had[3] = {0}, all = 0;
    for (int i = 0; i < 3000; i++) {
        int place = i % 10 < 7 ? 0 : i % 10 < 9 ? 1 : 2;
        thread->frame.rip = 0x401000 + 0x1000 * (uint64_t)place;
        thread->means.trail_ticks = 30 * US;
        bool trail = budget_parts(thread).trail;
        had[place] += trail;
        all += trail;
    }
    assert_in_range(all, 300, 2700);
    assert_in_range(had[0], all * 7 / 10 - 3, all * 7 / 10 + 3);
    assert_in_range(had[1], all * 2 / 10 - 3, all * 2 / 10 + 3);
}

/* Functions of many places, each interrupted a few times: each function has trails as it has
 * samples. By places of 32 bytes alone, the mean square of the difference was 7.1, and is 1.3. */
static void trails_are_spread_over_functions(void **state)
{
    enum { RUNS = 40, SAMPLES = 1000 };
    (void)state;
    uint64_t squares = 0, all = 0;
    for (int run = 0; run < RUNS; run++) {
        begin(&(struct record_options){.overhead_ppm = PPM, .tally = 1}, true);
        thread->random += (uint64_t)run * 977;
        thread->period_ns = 4000000;
        thread->means.rest_ticks = 3 * US;
        int had = 0, small = 0;
        for (int i = 0; i < SAMPLES; i++) {
            uint64_t random = thread_random(thread), function = random % 10 ? 0 : 1;
            thread->frame.rip = 0x401000 + 0x10000 * function + (random >> 8) % 0x1000;
            thread->means.trail_ticks = 200 * US;
            bool trail = budget_parts(thread).trail;
            all += trail;
            had += trail;
            small += trail && function;
        }
        int off = small * 10 - had;
        squares += (uint64_t)(off * off);
        end(state);
    }
    assert_in_range(all / RUNS, SAMPLES / 40, SAMPLES / 2);
    assert_in_range(squares / RUNS, 0, 200); /* of ten times the difference */
}

/* A program in phases, each in places of its own that are interrupted once or twice: each phase has
 * trails as it has samples. By the places alone, one of ten had 28 where 23 are due. */
static void trails_are_spread_over_phases(void **state)
{
    enum { PHASES = 10, PLACES = 150, SAMPLES = 250 };
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM, .tally = 1}, true);
    thread->period_ns = 4000000;
    thread->means.rest_ticks = 3 * US;
    int had[PHASES] = {0}, all = 0;
    for (int i = 0; i < PHASES * SAMPLES; i++) {
        uint64_t place = (uint64_t)(i / SAMPLES * PLACES + i % PLACES);
        thread->frame.rip = 0x401000 + 0x40 * place;
        thread->means.trail_ticks = 200 * US;
        bool trail = budget_parts(thread).trail;
        had[i / SAMPLES] += trail;
        all += trail;
    }
    assert_in_range(all, PHASES * 10, PHASES * SAMPLES / 2);
    for (int i = 1; i < PHASES; i++)
        assert_in_range(had[i], all / PHASES - 4, all / PHASES + 4);
}

/* A late interrupt of the calibration is a sample before there is a budget. */
static void windows_have_exits_before_there_are_means(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM}, false);
    thread->means = (struct means){0};
    assert_int_equal(budget_window_exits(thread), 1);
}

/* A program with code that executes 40,000 instructions in the time that other code takes for
 * 1,000. Trails last equally long in both: their cost does not hang on the mean of the two paces.
 */
static void trails_cost_by_their_own_pace(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = PPM, .tally = true}, true);
    agent.tick_ns = 4000000;
    thread->means.ticks_per_insn_q16 = ((uint64_t)50 * US << 16) / 1950; /* the mean of trails */
    for (int i = 0; i < 400; i++) {
        struct part_cost trail = {.ticks = 100 * US, .instructions = i % 2 ? 40000 : 1000};
        trail.native = 50 * US;
        budget_spend(thread, &(struct sample_cost){.handler_ticks = 110 * US, .trail = trail});
    }
    /* What it takes beyond its code, and what the program loses afterwards. */
    assert_in_range(thread->means.trail_ticks, 56 * US, 69 * US);
}

/* Windows with addresses and values: as many as the budget pays for, whether one place has all
 * samples or many have few; a place with a thirtieth of the samples has more than a thirtieth of
 * them; and together they stand for all samples but the latest of each place. */
static void few_windows_are_spread_over_code(void **state)
{
    (void)state;
    enum { SAMPLES = 20000, RARE = 30, PLACE = 1 << 10 };
    for (uint64_t tool_us = 0; tool_us <= 4000; tool_us += 2000) {
        begin(&(struct record_options){.overhead_ppm = PPM,
                                       .tally = true,
                                       .events = EVENTS_ADDRESS | EVENTS_VALUE},
              true);
        uint64_t n[2] = {0}, stands_for[2] = {0};
        for (uint32_t i = 0; i < SAMPLES; i++) {
            bool rare = i % RARE == 7;
            thread->frame.rip = rare ? 0x555555000000 + 9 * PLACE : 0x555555000000;
            agent.ran_ns += budget_next_ns(thread);
            struct sample_parts parts = budget_parts(thread);
            n[rare] += parts.window;
            stands_for[rare] += parts.periods_q8 >> 8;
            agent.windows_begun += parts.window;
            channel->interrupts++;
            channel->tool_cpu_ns += parts.window ? tool_us * 1000 : 0;
        }
        uint64_t all = n[0] + n[1];
        assert_in_range(stands_for[0], SAMPLES * 0.9, SAMPLES);
        assert_in_range(stands_for[1], SAMPLES / RARE * 0.6, SAMPLES / RARE + 1);
        assert_true(n[1] * RARE > 3 * all / 2 || !tool_us);
        assert_in_range(all, SAMPLES / 80, SAMPLES);
        if (!tool_us) /* they cost nothing: each sample has one */
            assert_true(all > SAMPLES / 2);
    }
}

/* A program of two samples has windows with values if the budget pays for one in each. */
static void few_windows_are_not_put_off(void **state)
{
    (void)state;
    begin(&(struct record_options){.overhead_ppm = 40 * PPM,
                                   .tally = true,
                                   .events = EVENTS_ADDRESS | EVENTS_VALUE},
          true);
    thread->period_ns = 4000000;
    thread->means.window_ticks = 60 * US;
    for (int i = 0; i < 100; i++) {
        struct sample_parts parts = budget_parts(thread);
        assert_true(parts.window);
        assert_int_equal(parts.periods_q8, 1 << 8);
    }
    end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_windows_are_not_put_off),
        cmocka_unit_test(windows_have_exits_before_there_are_means),
        cmocka_unit_test(early_samples_cost_no_less_than_nothing),
        cmocka_unit_test(late_samples_are_the_kernels),
        cmocka_unit_test(keeps_within_what_was_asked),
        cmocka_unit_test(saves_again_what_a_start_took),
        cmocka_unit_test(a_fixed_rate_is_kept_whatever_it_costs),
        cmocka_unit_test(periods_differ_by_a_quarter_of_their_mean),
        cmocka_unit_test(one_lost_second_does_not_stop_sampling),
        cmocka_unit_test(timers_that_come_seldom_get_longer_windows),
        cmocka_unit_test(trails_that_do_not_count_cost_a_share_of_the_rest),
        cmocka_unit_test(ticks_windows_and_trails_share_the_budget),
        cmocka_unit_test(expensive_windows_are_few),
        cmocka_unit_test(trails_suit_the_distance_of_system_calls),
        cmocka_unit_test(trails_cost_by_their_own_pace),
        cmocka_unit_test(trails_are_spread_as_samples_are),
        cmocka_unit_test(trails_are_spread_over_functions),
        cmocka_unit_test(trails_are_spread_over_phases),
        cmocka_unit_test(few_windows_are_spread_over_code),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
