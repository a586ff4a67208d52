#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "collect/kernel/follow.h"
#include "collect/perf/perf_request.h"
#include "profile/profile.h"
#include "../records.h"

/* No process has such numbers, so /proc has nothing to say of them. */
enum { A = 1 << 28, B, C };

struct world {
    struct perf_request request;
    struct profile profile;
    struct follow follow;
    struct record record;
    struct totals beside; /* what is added to the totals of a profile of walks */
};

/* timed: time on CPUs is told, and samples share it. */
static int world_begin(void **state, bool kernel, bool timed)
{
    struct world *world = *state = mem_alloc(sizeof *world);
    world->request = (struct perf_request){.clock = true, .kernel = kernel};
    world->request.tracker.context_switch = timed;
    world->request.sampler.inherit = 1;
    profile_init(&world->profile);
    world->profile.mode = PROFILE_PLAIN;
    follow_init(&world->follow, &world->request, &world->profile);
    world->follow.samples.chains = true;
    world->follow.tasks.began_ns = 0;
    return 0;
}

static int untimed(void **state)
{
    return world_begin(state, true, false);
}

static int timed(void **state)
{
    return world_begin(state, true, true);
}

static int timed_user(void **state)
{
    return world_begin(state, false, true);
}

static int beside(void **state)
{
    world_begin(state, true, true);
    struct world *world = *state;
    world->profile.mode = PROFILE_SAMPLED;
    follow_beside(&world->follow, &world->beside);
    return 0;
}

static int world_end(void **state)
{
    struct world *world = *state;
    follow_release(&world->follow);
    profile_release(&world->profile);
    mem_free(world);
    return 0;
}

#define TAKE(world, make) follow_take(&(world)->follow, (make), false)

/* The weight of a leaf at the address in the module, over all threads. */
static uint64_t weight_at(struct world *world, const char *path, uint64_t address)
{
    tasks_tell(&world->follow.tasks, 0, false);
    const struct stacks *stacks = &world->profile.stacks;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        struct stack_key key = stacks_key(stacks, cell->node);
        if (key.module != MODULE_NONE && key.address == address &&
            strcmp(world->profile.modules.at[key.module].path, path) == 0)
            sum += stacks->weights.at[i];
    }
    return sum;
}

static struct thread_times thread_of(const struct world *world, uint32_t tid, const char *name)
{
    for (size_t i = 0; i < world->profile.threads.n; i++) {
        const struct thread_times *row = &world->profile.threads.at[i];
        if (row->tid == tid && strcmp(row->name, name) == 0)
            return *row;
    }
    fail_msg("no thread %u '%s'", tid, name);
    return (struct thread_times){0};
}

/* A child has what its parent had mapped; a new program has nothing of it. */
static void fork_and_exec(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0x4000, "/no/such/one", 1));
    TAKE(world, record_task(record, PERF_RECORD_FORK, B, A, B, A, 2));
    TAKE(world, record_sample(record, B, B, 0x10010, 100, NULL, 3));
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 100);
    TAKE(world, record_name(record, B, B, "other", 1, 4));
    TAKE(world, record_sample(record, B, B, 0x10010, 100, NULL, 5));
    assert_int_equal(weight_at(world, "[unknown]", 0x10010), 100);
    TAKE(world, record_mapping(record, B, 0x10000, 0x1000, 0, "/no/such/two", 6));
    TAKE(world, record_sample(record, B, B, 0x10010, 100, NULL, 7));
    assert_int_equal(weight_at(world, "/no/such/two", 0x10), 100);
    /* The parent has not changed. */
    TAKE(world, record_sample(record, A, A, 0x10010, 7, NULL, 8));
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 107);
    assert_int_equal(world->profile.totals.interrupts, 4);
    assert_int_equal(world->profile.totals.time, 307);
}

/* What a process had mapped goes with its last thread, not with its first. */
static void ends(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0x4000, "/no/such/one", 1));
    TAKE(world, record_task(record, PERF_RECORD_FORK, B, A, B, A, 2));
    TAKE(world, record_task(record, PERF_RECORD_FORK, B, B, C, B, 3));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, B, B, B, B, 4));
    TAKE(world, record_sample(record, B, C, 0x10010, 100, NULL, 5));
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 100);
    TAKE(world, record_task(record, PERF_RECORD_EXIT, B, B, C, C, 6));
    assert_int_equal(processes_get(&world->follow.processes, B)->mappings.n, 0);
    /* The number is given to another. */
    TAKE(world, record_task(record, PERF_RECORD_FORK, B, A, B, A, 7));
    TAKE(world, record_sample(record, B, B, 0x10010, 50, NULL, 8));
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 150);
    /* One that was there before has threads that nobody counted. */
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, A, A, A, 9));
    assert_int_equal(processes_get(&world->follow.processes, A)->mappings.n, 1);
}

/* Code that a process made itself lies where it lies; what is mapped over it is something else. */
static void jit(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_mapping(record, A, 0x10000, 0x3000, 0, "//anon", 1));
    TAKE(world, record_mapping(record, A, 0x11000, 0x1000, 0x5000, "/no/such/one", 2));
    TAKE(world, record_sample(record, A, A, 0x10010, 1, NULL, 3));
    TAKE(world, record_sample(record, A, A, 0x11010, 2, NULL, 3));
    TAKE(world, record_sample(record, A, A, 0x12010, 4, NULL, 3));
    assert_int_equal(weight_at(world, "[jit]", 0x10010), 1);
    assert_int_equal(weight_at(world, "/no/such/one", 0x5010), 2);
    assert_int_equal(weight_at(world, "[jit]", 0x12010), 4);
}

/* Kernel frames lie inside of user frames; their weight is not user time. */
static void kernel(void **state)
{
    static const uint64_t chain[] = {0xffffffff81000010, 0xffffffff81000021, 0};
    struct world *world = *state;
    TAKE(world, record_sample(&world->record, A, A, 0x10010, 50, chain, 1));
    assert_int_equal(weight_at(world, "[kernel]", chain[0]), 50);
    assert_int_equal(world->profile.totals.time, 0);
    assert_int_equal(world->profile.totals.interrupts, 1);
    const struct stacks *stacks = &world->profile.stacks;
    assert_int_equal(stacks->nodes.n, 4);
    struct stack_key leaf = stacks_key(stacks, 3), caller = stacks_key(stacks, 2);
    assert_int_equal(leaf.parent, 2);
    assert_int_equal(caller.address, chain[1] - 1);
    assert_int_equal(stacks_key(stacks, caller.parent).address, 0x10010);
    assert_int_equal(stacks_key(stacks, 0).address, stack_thread(A, A));
}

/* On from 10 to 30 and from 80 to 100, three samples of four in user mode. */
static void times(void **state)
{
    static const uint64_t chain[] = {0xffffffff81000010, 0};
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, A, B, A, 5));
    TAKE(world, record_name(record, A, B, "worker", 0, 5));
    TAKE(world, record_switch(record, A, B, 1, 5));
    TAKE(world, record_switch(record, A, B, 0, 10));
    for (int i = 0; i < 3; i++)
        TAKE(world, record_sample(record, A, B, 0x10010, 10, NULL, 20));
    TAKE(world, record_switch(record, A, B, 1, 30));
    TAKE(world, record_switch(record, A, B, 0, 80));
    TAKE(world, record_sample(record, A, B, 0x10010, 10, chain, 90));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, A, B, B, 100));
    tasks_tell(&world->follow.tasks, 500, true);
    struct thread_times row = thread_of(world, B, "worker");
    assert_int_equal(row.user_ns, 30);
    assert_int_equal(row.kernel_ns, 10);
    assert_int_equal(row.off_ns, 5 + 50);
    assert_int_equal(row.switches, 2);
    assert_int_equal(world->profile.totals.user_ns, 30);
    assert_int_equal(world->profile.totals.kernel_ns, 10);
    assert_int_equal(world->profile.totals.losses[LOSS_unsampled], 0);
}

/* A child of A that runs so long and ends; its sample, if any, at the address. */
static void child_run(struct world *world, uint32_t tid, uint64_t start, uint64_t time,
                      uint64_t address)
{
    struct record *record = &world->record;
    TAKE(world, record_task(record, PERF_RECORD_FORK, tid, A, tid, A, start));
    TAKE(world, record_switch(record, tid, tid, 0, start));
    if (address)
        TAKE(world, record_sample(record, tid, tid, address, 1000, NULL, start + time - 1));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, tid, A, tid, tid, start + time));
}

/* Short ones share the time of all of them, whichever the clock met; a long one has its own. */
static void short_lives(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    world->follow.tasks.lives.short_ns = 2000;
    TAKE(world, record_name(record, A, A, "main", 1, 1000));
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0, "/no/such/one", 1000));
    for (uint64_t at = 2000; at <= 11000; at += 1000)
        TAKE(world, record_sample(record, A, A, 0x10010, 500, NULL, at));
    TAKE(world, record_switch(record, A, A, 1, 11000));
    for (uint32_t i = 0; i < 9; i++)
        child_run(world, B + i, 20000 + i * 1000, 600, i == 1 || i == 7 ? 0x10020 : 0);
    tasks_tell(&world->follow.tasks, 50000, false);
    assert_int_equal(weight_at(world, "/no/such/one", 0x10), 10000);
    assert_int_equal(weight_at(world, "/no/such/one", 0x20), 9 * 600);
    assert_int_equal(world->profile.totals.user_ns, 15400);
    assert_int_equal(world->profile.totals.time, 15400);
    assert_int_equal(thread_of(world, B + 3, "main").user_ns, 600);
    /* Time waits for a sample of that name, and is counted as lost if none comes. */
    TAKE(world, record_task(record, PERF_RECORD_FORK, C, A, C, A, 60000));
    TAKE(world, record_name(record, C, C, "other", 1, 60000));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, C, A, C, C, 69000));
    tasks_tell(&world->follow.tasks, 70000, false);
    assert_int_equal(world->profile.totals.user_ns, 15400);
    tasks_tell(&world->follow.tasks, 80000, true);
    assert_int_equal(world->profile.totals.user_ns, 15400 + 9000);
    assert_int_equal(world->profile.totals.losses[LOSS_unsampled], 1);
    assert_int_equal(world->profile.totals.losses[LOSS_unsampled_us], 9);
}

/* What switches have told of a thread with an agent stays when they are followed no more. */
static void rest_of_walked(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    struct tasks *tasks = &world->follow.tasks;
    task_walked(tasks, tasks_get(tasks, A, A, 0), true);
    TAKE(world, record_switch(record, A, A, 0, 1000));
    TAKE(world, record_switch(record, A, A, 1, 4000));
    tasks_tell(tasks, 5000, true);
    tasks->switches = tasks->lives.measured = false;
    lives_told(&tasks->lives, A, A, "", 1200);
    tasks_tell(tasks, 9000, true);
    lives_rest(&tasks->lives, 5000, 3000);
    struct thread_times row = thread_of(world, A, "");
    assert_int_equal(row.user_ns + row.kernel_ns, 3000 - 1200);
}

/* One that is met on a CPU was there; what it lost of its leaving is not time that it used. */
static void lost_switches(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    tasks_get(&world->follow.tasks, A, A, 0);
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 100));
    TAKE(world, record_switch(record, A, A, 0, 1000));
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 1100));
    TAKE(world, record_switch(record, A, A, 1, 1200));
    tasks_tell(&world->follow.tasks, 2000, true);
    assert_int_equal(thread_of(world, A, "").user_ns, 300);
    assert_int_equal(thread_of(world, A, "").off_ns, 1700);
}

/* Its leaving was lost, and it ends long after: a thread that runs would have had samples. */
static void lost_leaving(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    world->follow.tasks.lives.short_ns = 100;
    TAKE(world, record_sample(record, A, A, 0x10010, 50, NULL, 1000));
    TAKE(world, record_switch(record, A, A, false, 1100));
    record_begin(record, PERF_RECORD_LOST, 0);
    record_u64(record, 1);
    record_u64(record, 17);
    TAKE(world, record_ids(record, A, A, 1200));
    tasks_tell(&world->follow.tasks, 1000000, true);
    struct thread_times row = thread_of(world, A, "");
    assert_true(row.user_ns + row.kernel_ns <= 400);
    assert_true(row.off_ns >= 990000);
}

/* A thread that was met on its way out leaves its CPU without a number: it does not stay there. */
static void way_out(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    world->follow.tasks.one_by_one = false;
    TAKE(world, record_name(record, A, A, "main", 1, 0));
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, A, B, A, 100));
    TAKE(world, record_switch(record, A, A, 1, 100));
    TAKE(world, record_switch(record, A, B, 0, 100));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, A, B, B, 300));
    TAKE(world, record_sample(record, A, B, 0x10010, 50, NULL, 350));
    TAKE(world, record_switch(record, A, UINT32_MAX, 1, 400));
    tasks_tell(&world->follow.tasks, 500000, false);
    tasks_tell(&world->follow.tasks, 1000000, true);
    struct thread_times row = thread_of(world, B, "main");
    assert_int_equal(row.user_ns + row.kernel_ns, 250);
    for (size_t i = 0; i < world->profile.threads.n; i++)
        assert_int_not_equal(world->profile.threads.at[i].tid, UINT32_MAX);
}

/* Whoever has a CPU has taken it from the one before, whose leaving nobody told. */
static void one_at_a_time(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_switch(record, A, A, 0, 100));
    TAKE(world, record_sample(record, A, A, 0x10010, 50, NULL, 200));
    TAKE(world, record_switch(record, B, B, 0, 300));
    TAKE(world, record_sample(record, B, B, 0x10010, 50, NULL, 400));
    TAKE(world, record_switch(record, B, B, 1, 1000));
    tasks_tell(&world->follow.tasks, 2000, true);
    assert_int_equal(thread_of(world, A, "").user_ns, 200);
    assert_int_equal(thread_of(world, B, "").user_ns, 700);
}

/* A thread that another one names may be asleep, and sleep on. */
static void named_by_another(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_name(record, A, A, "main", 1, 0));
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, A, B, A, 100));
    record_begin(record, PERF_RECORD_COMM, 0);
    record_u32(record, A);
    record_u32(record, B);
    record_text(record, "worker");
    TAKE(world, record_ids(record, A, A, 200));
    TAKE(world, record_sample(record, A, A, 0x10010, 50, NULL, 1000));
    tasks_tell(&world->follow.tasks, 1000, true);
    assert_int_equal(thread_of(world, B, "worker").user_ns, 0);
    assert_int_equal(thread_of(world, B, "worker").off_ns, 800);
    assert_int_equal(thread_of(world, A, "main").user_ns, 1000);
}

/* A thread that becomes a program takes over the number of the first one and leaves its own. */
static void exec_in_thread(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_name(record, A, A, "old", 1, 0));
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, A, B, A, 10));
    TAKE(world, record_switch(record, A, A, 1, 10));
    TAKE(world, record_switch(record, A, B, 0, 10));
    TAKE(world, record_sample(record, A, B, 0x10010, 10, NULL, 50));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, A, A, A, 60));
    TAKE(world, record_switch(record, A, A, 1, 70));
    TAKE(world, record_switch(record, A, A, 0, 90));
    TAKE(world, record_name(record, A, A, "new", 1, 100));
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 150));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, A, A, A, 200));
    tasks_tell(&world->follow.tasks, 1000, true);
    assert_int_equal(thread_of(world, B, "old").user_ns, 60);
    assert_int_equal(thread_of(world, A, "new").user_ns, 100);
    assert_int_equal(world->profile.totals.user_ns, 20 + 60 + 100);
}

/* Where the kernel is not sampled, what samples do not speak for is its time. */
static void times_user_only(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_switch(record, A, A, 0, 100));
    TAKE(world, record_sample(record, A, A, 0x10010, 60, NULL, 150));
    TAKE(world, record_switch(record, A, A, 1, 200));
    tasks_tell(&world->follow.tasks, 300, true);
    struct thread_times row = thread_of(world, A, "");
    assert_int_equal(row.user_ns, 60);
    assert_int_equal(row.kernel_ns, 40);
    assert_int_equal(row.off_ns, 100);
}

/* Told in parts, the parts add up; a new program is a new row. */
static void times_in_parts(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_name(record, A, A, "old", 1, 100));
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 110));
    tasks_tell(&world->follow.tasks, 120, false);
    assert_int_equal(thread_of(world, A, "old").user_ns, 10);
    profile_clear(&world->profile);
    samples_forget(&world->follow.samples);
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 130));
    TAKE(world, record_name(record, A, A, "new", 1, 150));
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 160));
    tasks_tell(&world->follow.tasks, 190, true);
    assert_int_equal(thread_of(world, A, "old").user_ns, 40);
    assert_int_equal(thread_of(world, A, "new").user_ns, 40);
}

/* One's own samples are left out, what is lost is counted, what makes no sense is, too. */
static void apart(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    world->follow.tasks.own_pid = C;
    TAKE(world, record_sample(record, C, C, 0x10010, 10, NULL, 1));
    assert_int_equal(world->profile.totals.interrupts, 0);
    record_begin(record, PERF_RECORD_LOST, 0);
    record_u64(record, 1);
    record_u64(record, 17);
    TAKE(world, record_ids(record, A, A, 2));
    assert_int_equal(world->profile.totals.losses[LOSS_sample_lost], 17);
    for (uint32_t type = 0; type < 32; type++) {
        record_begin(record, type, 0);
        TAKE(world, record_end(record));
    }
    assert_true(world->profile.totals.losses[LOSS_garbled] >= 6);
    assert_int_equal(world->profile.totals.losses[LOSS_throttled], 1);
}

/* On from 0 to 100. It has an agent from 50 on, until it becomes another program at 80: one of four
 * samples is the agent's, and only divides time. Of the first program's 80 each of three has a
 * third, of the second's 20 the fourth has all. */
static void agents_and_others(void **state)
{
    static const uint64_t chain[] = {0xffffffff81000010, 0};
    struct world *world = *state;
    struct record *record = &world->record;
    const struct totals *totals = &world->beside;
    follow_claim(&world->follow, (struct follow_claim){A, A, 50});
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, B, A, B, 0));
    TAKE(world, record_name(record, A, A, "first", 0, 0));
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0x4000, "/no/such/one", 1));
    TAKE(world, record_sample(record, A, A, 0x10010, 10, NULL, 20));
    TAKE(world, record_sample(record, A, A, 0x10020, 10, NULL, 60));
    TAKE(world, record_sample(record, A, A, 0x10010, 10, chain, 70));
    TAKE(world, record_name(record, A, A, "second", 1, 80));
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0, "/no/such/two", 81));
    TAKE(world, record_sample(record, A, A, 0x10030, 10, NULL, 90));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, A, A, A, 100));
    tasks_tell(&world->follow.tasks, 500, true);
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 26);
    assert_int_equal(weight_at(world, "/no/such/one", 0x4020), 0);
    assert_int_equal(weight_at(world, "[kernel]", chain[0]), 27);
    assert_int_equal(weight_at(world, "/no/such/two", 0x30), 20);
    assert_int_equal(totals->kernel_samples, 3);
    assert_int_equal(totals->samples, 2);
    assert_int_equal(totals->sampled_ns, 46);
    assert_true(totals->sampled_xx == 26 * 26 + 20 * 20);
    assert_int_equal(totals->bare_ns, 46);
    assert_int_equal(totals->user_ns + totals->kernel_ns, 100);
    assert_int_equal(totals->interrupts, 0);
    assert_int_equal(totals->losses[LOSS_unsampled], 0);
    /* The agent tells what threads it samples have used. */
    for (size_t i = 0; i < world->profile.threads.n; i++)
        if (strcmp(world->profile.threads.at[i].name, "first") == 0)
            assert_int_equal(world->profile.threads.at[i].user_ns, 0);
    assert_int_equal(thread_of(world, A, "second").user_ns, 20);
}

/* Threads of a walked process, and its children, are not walked until they say so. */
static void heirs_of_agents(void **state)
{
    struct world *world = *state;
    struct record *record = &world->record;
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0x4000, "/no/such/one", 1));
    follow_claim(&world->follow, (struct follow_claim){A, A, 2});
    follow_claim(&world->follow, (struct follow_claim){A, B, 4});
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, A, B, A, 3));
    TAKE(world, record_sample(record, A, B, 0x10020, 10, NULL, 3));
    TAKE(world, record_sample(record, A, B, 0x10010, 10, NULL, 4));
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 0);
    assert_true(tasks_get(&world->follow.tasks, A, B, 4)->walked);
    TAKE(world, record_task(record, PERF_RECORD_FORK, C, A, C, A, 5));
    TAKE(world, record_sample(record, C, C, 0x10010, 10, NULL, 6));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, C, C, C, C, 16));
    tasks_tell(&world->follow.tasks, 16, true);
    assert_int_equal(weight_at(world, "/no/such/one", 0x4010), 10);
    assert_int_equal(processes_get(&world->follow.processes, C)->bare, 1);
    assert_int_equal(processes_get(&world->follow.processes, A)->bare, 1);
    assert_int_equal(world->beside.kernel_samples, 2);
}

static bool has_module(const struct world *world, const char *path)
{
    for (size_t i = 0; i < world->profile.modules.n; i++)
        if (strncmp(world->profile.modules.at[i].path, path, strlen(path)) == 0)
            return true;
    return false;
}

/* Calls from copies of the program's code, which lie where no file does, have no stack of the
 * program's. Another process of that number has no copies: such code is its own. */
static void copies_are_no_jit_code(void **state)
{
    static const uint64_t chain[] = {0xffffffff81000010, 0};
    struct world *world = *state;
    struct record *record = &world->record;
    follow_claim(&world->follow, (struct follow_claim){A, A, 2});
    TAKE(world, record_mapping(record, A, 0x10000, 0x1000, 0x4000, "/no/such/one", 1));
    TAKE(world, record_mapping(record, A, 0x50000, 0x1000, 0, "//anon", 3));
    TAKE(world, record_sample(record, A, A, 0x50010, 10, chain, 4));
    TAKE(world, record_task(record, PERF_RECORD_EXIT, A, B, A, A, 10));
    assert_true(weight_at(world, "[kernel]", chain[0]) > 0);
    assert_false(has_module(world, "[jit]") || has_module(world, "[unknown]"));
    TAKE(world, record_task(record, PERF_RECORD_FORK, A, B, A, B, 20));
    TAKE(world, record_mapping(record, A, 0x50000, 0x1000, 0, "//anon", 21));
    TAKE(world, record_sample(record, A, A, 0x50010, 10, chain, 22));
    tasks_tell(&world->follow.tasks, 30, true);
    assert_true(has_module(world, "[jit]"));
    assert_false(has_module(world, "[unknown]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fork_and_exec, untimed, world_end),
        cmocka_unit_test_setup_teardown(ends, untimed, world_end),
        cmocka_unit_test_setup_teardown(jit, untimed, world_end),
        cmocka_unit_test_setup_teardown(kernel, untimed, world_end),
        cmocka_unit_test_setup_teardown(times, timed, world_end),
        cmocka_unit_test_setup_teardown(short_lives, timed, world_end),
        cmocka_unit_test_setup_teardown(rest_of_walked, timed, world_end),
        cmocka_unit_test_setup_teardown(lost_switches, timed, world_end),
        cmocka_unit_test_setup_teardown(lost_leaving, timed, world_end),
        cmocka_unit_test_setup_teardown(way_out, timed, world_end),
        cmocka_unit_test_setup_teardown(one_at_a_time, timed, world_end),
        cmocka_unit_test_setup_teardown(named_by_another, timed, world_end),
        cmocka_unit_test_setup_teardown(exec_in_thread, timed, world_end),
        cmocka_unit_test_setup_teardown(times_user_only, timed_user, world_end),
        cmocka_unit_test_setup_teardown(times_in_parts, timed, world_end),
        cmocka_unit_test_setup_teardown(apart, untimed, world_end),
        cmocka_unit_test_setup_teardown(agents_and_others, beside, world_end),
        cmocka_unit_test_setup_teardown(heirs_of_agents, beside, world_end),
        cmocka_unit_test_setup_teardown(copies_are_no_jit_code, beside, world_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
