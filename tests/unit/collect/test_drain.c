#include "collect/drain.h"

#include "base/err.h"
#include "collect/channel/share.h"
#include "collect/exact/call_tree.h"
#include "collect/exact/path_plans.h"
#include "wire/node.h"
#include "../process/fake.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    struct share share;
    struct profile profile;
    struct recording_options options;
    struct recording_session session;
    struct drain drain;
};

static void open_fixture(struct fixture *fixture)
{
    struct err err;
    fixture->options = (struct recording_options){.record = {.mode = RECORD_EXACT_COUNTS}};
    assert_true(share_create(&fixture->share, &fixture->options.record, &err));
    profile_init(&fixture->profile);
    fixture->profile.mode = PROFILE_EXACT;
    fixture->session = (struct recording_session){
        .options = &fixture->options, .share = &fixture->share, .profile = &fixture->profile};
    drain_init(&fixture->drain, &fixture->session);
}

static void close_fixture(struct fixture *fixture)
{
    drain_release(&fixture->drain);
    profile_release(&fixture->profile);
    share_release(&fixture->share);
}

/* A process that is gone. */
static pid_t dead(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

/* Claims channel `index` as an agent would, with one superblock that ran `count` times. */
static struct fake claim(struct fixture *fixture, uint32_t index, pid_t pid, uint64_t count)
{
    const struct wire_segment jump = {.start = 0x1000,
                                      .target = 0x1000,
                                      .bytes = 4,
                                      .instructions = 2,
                                      .end = SEGMENT_JUMP,
                                      .last_bytes = 2};
    struct fake fake = {share_map(&fixture->share, index)};
    assert_non_null(fake.channel);
    assert_int_equal(fixture->share.directory->claimed_by[index], 0);
    fixture->share.directory->claimed_by[index] = pid;
    fake.channel->pid = pid;
    fake.channel->start_tsc = 1;
    fake.channel->tsc_hz = 1000000000;
    fake.channel->losses[LOSS_flushed] = 1;
    fake_map(&fake, 0x1000, 0x2000, 0, "/no/module");
    fake_superblock(&fake, 0, 0, 1, &jump);
    fake_counters(&fake)[0] = count;
    fake.channel->counters = 2;
    fake.channel->state = CHANNEL_LIVE;
    return fake;
}

static uint64_t ran(const struct fixture *fixture)
{
    const struct range_key key = {.instructions = 2, .start = {0}, .last = {2}};
    const struct loose_ranges *ranges = &fixture->profile.loose.ranges;
    uint64_t sum = 0;
    for (size_t i = 0; i < ranges->n; i++)
        if (memcmp(&ranges->at[i].key, &key, sizeof key) == 0)
            sum += ranges->at[i].count;
    return sum;
}

/* Many short processes since the last reading: it must not wait until there is no channel left. */
static void new_processes_are_read_before_channels_run_out(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    uint32_t n = 0;
    for (; n < CHANNEL_N / 2 && !drain_crowded(&fixture.drain); n++)
        share_unmap(claim(&fixture, n, dead(), 1).channel);
    assert_in_range(n, 2, CHANNEL_N / 2 - 1);
    drain_read(&fixture.drain);
    assert_false(drain_crowded(&fixture.drain));
    close_fixture(&fixture);
}

static void channels_of_the_dead_are_used_again(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    struct fake here = claim(&fixture, 0, getpid(), 100);
    struct drain_sum sum;
    for (uint64_t i = 1; i <= 200; i++) {
        struct fake gone = claim(&fixture, 1, dead(), i);
        share_unmap(gone.channel);
        drain_read(&fixture.drain);
        assert_int_equal(fixture.share.directory->claimed_by[1], 0);
        drain_sum(&fixture.drain, false, &sum);
        assert_int_equal(sum.totals.losses[LOSS_flushed], i + 1);
        assert_int_equal(sum.totals.losses[LOSS_killed], i);
    }
    assert_int_equal(ran(&fixture), 200 * 201 / 2);
    assert_int_equal(fixture.share.directory->claimed_by[0], getpid());
    drain_count(&fixture.drain, true);
    assert_int_equal(ran(&fixture), 200 * 201 / 2 + 100);
    drain_sum(&fixture.drain, true, &sum);
    assert_int_equal(sum.totals.losses[LOSS_killed], 201);
    assert_int_equal(sum.totals.instructions, 2 * (200 * 201 / 2 + 100));
    assert_int_equal(sum.totals.losses[LOSS_garbled], 0);
    assert_int_equal(fixture.drain.processes, 201);
    assert_int_equal(fixture.drain.first.pid, getpid());
    share_unmap(here.channel);
    close_fixture(&fixture);
}

static void goodbye_and_exec_are_no_killing(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    struct fake before = claim(&fixture, 0, getpid(), 1);
    struct fake after = claim(&fixture, 1, getpid(), 2);
    after.channel->start_tsc = 2; /* the same process after exec */
    drain_read(&fixture.drain);
    assert_int_equal(fixture.share.directory->claimed_by[0], 0);
    assert_int_equal(fixture.share.directory->claimed_by[1], getpid());
    after.channel->state = CHANNEL_DONE;
    drain_read(&fixture.drain);
    assert_int_equal(fixture.share.directory->claimed_by[1], 0);
    struct drain_sum sum;
    drain_sum(&fixture.drain, true, &sum);
    assert_int_equal(sum.totals.losses[LOSS_killed], 0);
    assert_int_equal(ran(&fixture), 3);
    share_unmap(before.channel);
    share_unmap(after.channel);
    close_fixture(&fixture);
}

/* It ends between the last two readings. */
static void units_of_the_last_moment_are_counted(void **state)
{
    (void)state;
    struct fixture fixture;
    const struct wire_segment jump = {.start = 0x1800,
                                      .target = 0x1800,
                                      .bytes = 4,
                                      .instructions = 2,
                                      .end = SEGMENT_JUMP,
                                      .last_bytes = 2};
    open_fixture(&fixture);
    struct fake fake = claim(&fixture, 0, getpid(), 5);
    drain_read(&fixture.drain);
    fake_superblock(&fake, 1, 1, 1, &jump);
    fake_counters(&fake)[1] = 7;
    fake.channel->state = CHANNEL_DONE;
    drain_count(&fixture.drain, true);
    struct drain_sum sum;
    drain_sum(&fixture.drain, true, &sum);
    assert_int_equal(sum.totals.instructions, 2 * (5 + 7));
    assert_int_equal(sum.totals.losses[LOSS_killed], 0);
    share_unmap(fake.channel);
    close_fixture(&fixture);
}

/* It ends after the last reading: what it counted or traced meanwhile is not whole, though it has
 * said goodbye. */
static void who_outlives_the_last_reading_is_not_whole(void **state)
{
    (void)state;
    static const enum record_mode modes[] = {RECORD_EXACT_COUNTS, RECORD_EXACT_TRACE};
    for (int i = 0; i < 2; i++) {
        struct fixture fixture;
        open_fixture(&fixture);
        fixture.options.record.mode = modes[i];
        struct fake fake = claim(&fixture, 0, getpid(), 5);
        drain_read(&fixture.drain);
        drain_traces_over(&fixture.drain);
        if (modes[i] == RECORD_EXACT_TRACE)
            fake.channel->state = CHANNEL_DONE;
        drain_count(&fixture.drain, true);
        fake.channel->state = CHANNEL_DONE;
        struct drain_sum sum;
        drain_sum(&fixture.drain, true, &sum);
        assert_int_equal(sum.totals.losses[LOSS_killed], 1);
        share_unmap(fake.channel);
        close_fixture(&fixture);
    }
}

/* A node of a function that was published after the units were read. */
static void functions_of_the_last_moment_are_known(void **state)
{
    (void)state;
    struct fixture fixture;
    struct path_plans plans = {.contexts = true};
    struct wire_function function = {
        .kind = UNIT_FUNCTION, .bytes = sizeof function, .number = 1, .start = 0x1000};
    open_fixture(&fixture);
    struct fake fake = claim(&fixture, 0, getpid(), 5);
    drain_read(&fixture.drain);
    struct source *source = fixture.drain.sources[0];
    struct wire_node nodes[2] = {{.bytes = sizeof *nodes},
                                 {.bytes = sizeof *nodes, .function = 1, .count = 3}};
    memcpy(fake_section(&fake, CHANNEL_COUNTERS_AT) + NODES_AT, nodes, sizeof nodes);
    fake_unit(&fake, &function, sizeof function);
    struct exact_process process = source_exact_process(source);
    assert_int_equal(call_tree_take(&plans, &process), 0);
    assert_int_equal(source_garbled(source), 0);
    /* The calls of its node; and at the root how many records there were, and their bytes. */
    assert_int_equal(fixture.profile.stacks.weights.n, 3);
    share_unmap(fake.channel);
    close_fixture(&fixture);
}

static void the_tools_cost_is_shared_by_those_who_live(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    struct fake one = claim(&fixture, 0, getpid(), 1), other = claim(&fixture, 5, getppid(), 1);
    for (int i = 0; i < 50; i++)
        drain_read(&fixture.drain);
    assert_true(one.channel->tool_cpu_ns > 0);
    assert_int_equal(one.channel->tool_cpu_ns, other.channel->tool_cpu_ns);
    share_unmap(one.channel);
    share_unmap(other.channel);
    close_fixture(&fixture);
}

/* How much different code runs is the mean of all processes by their time, not the first one's. */
static void all_processes_have_their_variety(void **state)
{
    (void)state;
    struct fixture fixture;
    struct drain_sum sum;
    const uint32_t exit = 0;
    open_fixture(&fixture);
    fixture.options.record.mode = RECORD_SAMPLED;
    fixture.options.record.tally = 1;
    fixture.profile.mode = PROFILE_SAMPLED;
    struct fake first = claim(&fixture, 0, getpid(), 0), second = claim(&fixture, 1, getpid(), 0);
    struct event_walk walk = {
        .tid = 1, .pc = 0x1000, .period_ns = 1000000, .end_pc = 0x1000, .stop = LOSS_N};
    fake_walk(&first, walk, NULL, 0);
    walk.period_ns = 3000000;
    walk.instructions = 2;
    fake_walk(&second, walk, &exit, 1);
    drain_read(&fixture.drain);
    drain_sum(&fixture.drain, false, &sum);
    assert_int_equal(sum.sampled_ns, 4000000);
    assert_true(sum.varieties == 3000000); /* one exit in the window of the second */
    share_unmap(first.channel);
    share_unmap(second.channel);
    close_fixture(&fixture);
}

/* The CPU time of the process since the last reading, and when that was. */
static uint64_t stretch_of(struct fixture *fixture, struct fake *fake, uint64_t ran_ns)
{
    struct wire_thread *slot = &channel_threads(fake->channel)[0];
    slot->end_cpu_ns += ran_ns;
    fixture->drain.read_ns -= 200000000;
    drain_read(&fixture->drain);
    return fixture->drain.stretch;
}

/* A program that gets its CPU for a part of the time only is read by its own time. */
static void slow_programs_are_read_less_often(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture);
    fixture.options.record.mode = RECORD_SAMPLED;
    fixture.options.record.tally = true;
    struct fake fake = claim(&fixture, 0, getpid(), 0);
    fake.channel->n_threads = 1;
    channel_threads(fake.channel)[0] = (struct wire_thread){.tid = 1, .start_cpu_ns = 1};
    drain_read(&fixture.drain);
    for (int i = 0; i < 8; i++)
        assert_int_equal(stretch_of(&fixture, &fake, 190000000), 1);
    assert_int_equal(fixture.drain.delay_ns, DECODE_BATCH_NS);
    for (int i = 0; i < 8; i++)
        assert_in_range(stretch_of(&fixture, &fake, 60000000), 3, 4);
    assert_in_range(fixture.drain.delay_ns, 3 * UINT64_C(250000000), 900000000);
    assert_int_equal(stretch_of(&fixture, &fake, 0), 4);          /* it waits */
    assert_int_equal(stretch_of(&fixture, &fake, 2000000000), 1); /* on several CPUs */
    share_unmap(fake.channel);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_processes_have_their_variety),
        cmocka_unit_test(new_processes_are_read_before_channels_run_out),
        cmocka_unit_test(channels_of_the_dead_are_used_again),
        cmocka_unit_test(goodbye_and_exec_are_no_killing),
        cmocka_unit_test(units_of_the_last_moment_are_counted),
        cmocka_unit_test(who_outlives_the_last_reading_is_not_whole),
        cmocka_unit_test(functions_of_the_last_moment_are_known),
        cmocka_unit_test(the_tools_cost_is_shared_by_those_who_live),
        cmocka_unit_test(slow_programs_are_read_less_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
