#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "collect/kernel/follow.h"
#include "collect/perf/perf_request.h"
#include "profile/profile.h"
#include "profile/waits.h"
#include "../records.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* No process has such numbers, so /proc has nothing to say of them. */
enum { A = 1 << 28, B };
enum { MS = 1000000 };

struct world {
    struct perf_request request;
    struct profile profile;
    struct follow follow;
    struct record record;
};

static int begin(void **state)
{
    struct world *world = *state = mem_alloc(sizeof *world);
    world->request = (struct perf_request){.clock = true, .kernel = true, .waits = true};
    world->request.tracker.context_switch = 1;
    profile_init(&world->profile);
    world->profile.mode = PROFILE_PLAIN;
    follow_init(&world->follow, &world->request, &world->profile);
    world->follow.tasks.began_ns = 0;
    return 0;
}

static int end(void **state)
{
    struct world *world = *state;
    follow_release(&world->follow);
    profile_release(&world->profile);
    mem_free(world);
    return 0;
}

/* A wait from one time to another, below that function of the kernel; 0: its stack is not taken. */
static void one_wait(struct world *world, uint32_t tid, uint64_t kernel, uint64_t from, uint64_t to,
                     bool runnable)
{
    const uint64_t chain[] = {kernel, 0};
    if (kernel)
        follow_take(&world->follow, record_sample(&world->record, A, tid, 0x10010, 1, chain, from),
                    true);
    const struct perf_event_header *out = record_switch(&world->record, A, tid, 1, from + 1);
    if (runnable)
        ((struct perf_event_header *)(void *)world->record.bytes)->misc |=
            PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    follow_take(&world->follow, out, false);
    if (to)
        follow_take(&world->follow, record_switch(&world->record, A, tid, 0, to + 1), false);
}

/* Of the nodes with that innermost address, over all threads; 0: of threads alone. */
static uint64_t weight(const struct world *world, uint64_t address, uint32_t group)
{
    const struct stacks *stacks = &world->profile.waits;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        struct stack_key key = stacks_key(stacks, cell->node);
        if (cell->group == group && (address ? key.address == address : key.parent == STACK_NONE))
            sum += stacks->weights.at[i];
    }
    return sum;
}

static void every_wait_has_a_stack(void **state)
{
    struct world *world = *state;
    one_wait(world, A, 0xffffffff81000010, 10 * MS, 30 * MS, false);
    one_wait(world, A, 0xffffffff81000020, 40 * MS, 45 * MS, true);
    one_wait(world, A, 0xffffffff81000010, 50 * MS, 51 * MS, false);
    one_wait(world, B, 0xffffffff81000010, 50 * MS, 57 * MS, false);
    waits_tell(&world->follow.waits, 60 * MS, false);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_NS), 28 * MS);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_COUNT), 3);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_SEEN), 3);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_LONGEST), 27 * MS); /* 20 and 7 */
    assert_int_equal(weight(world, 0xffffffff81000020, WAIT_RUNNABLE + WAIT_NS), 5 * MS);
    assert_int_equal(weight(world, 0xffffffff81000020, WAIT_NS), 0);
    assert_int_equal(weight(world, 0, WAIT_NS), 0);
}

/* Waits without a stack belong to those of their thread, kind and length; the sum stays. */
static void some_have_one(void **state)
{
    struct world *world = *state;
    uint64_t at = 0;
    for (int i = 0; i < 40; i++, at += MS) /* 10 us each, two places in turn */
        one_wait(world, A,
                 i % 4   ? 0
                 : i % 8 ? 0xffffffff81000010
                         : 0xffffffff81000020,
                 at, at + 10000, false);
    one_wait(world, A, 0, at, at + 500 * MS, false); /* long: like none of those */
    one_wait(world, B, 0, at, at + 10000, false);    /* another thread */
    waits_tell(&world->follow.waits, at, false);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_NS), 200000);
    assert_int_equal(weight(world, 0xffffffff81000020, WAIT_NS), 200000);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_COUNT), 20);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_SEEN), 5);
    assert_int_equal(weight(world, 0, WAIT_NS), 0);
    /* The long one is kept for a stack that may come, and at last it is the thread's. */
    one_wait(world, A, 0xffffffff81000030, at + 600 * MS, at + 1000 * MS, false);
    waits_tell(&world->follow.waits, at, true);
    assert_int_equal(weight(world, 0xffffffff81000030, WAIT_NS), 900 * MS);
    assert_int_equal(weight(world, 0xffffffff81000030, WAIT_COUNT), 2);
    assert_int_equal(weight(world, 0, WAIT_NS), 10000);
}

/* A wait that goes on while the profile is stored and emptied keeps its stack. */
static void across_appends(void **state)
{
    struct world *world = *state;
    one_wait(world, A, 0xffffffff81000010, 10 * MS, 0, false);
    waits_tell(&world->follow.waits, 20 * MS, false);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_NS), 0);
    profile_clear(&world->profile);
    waits_forget(&world->follow.waits);
    follow_take(&world->follow, record_switch(&world->record, A, A, 0, 110 * MS + 1), false);
    one_wait(world, A, 0xffffffff81000020, 120 * MS, 0, false);
    waits_tell(&world->follow.waits, 130 * MS + 1, true); /* and one that never ends */
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_NS), 100 * MS);
    assert_int_equal(weight(world, 0xffffffff81000020, WAIT_NS), 10 * MS);
}

/* A thread that has ended waits no more, and a stack without its switch is nobody's. */
static void ends_and_losses(void **state)
{
    struct world *world = *state;
    const uint64_t chain[] = {0xffffffff81000010, 0};
    one_wait(world, A, 0xffffffff81000010, 10 * MS, 0, false);
    follow_take(&world->follow, record_task(&world->record, PERF_RECORD_EXIT, A, A, A, A, 20 * MS),
                false);
    one_wait(world, A, 0xffffffff81000010, 21 * MS, 0, false); /* its last switch */
    follow_take(&world->follow, record_sample(&world->record, A, B, 0x10010, 1, chain, 30 * MS),
                true);
    one_wait(world, B, 0, 80 * MS, 90 * MS, false);
    waits_tell(&world->follow.waits, 200 * MS, true);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_NS), 0);
    assert_int_equal(weight(world, 0, WAIT_NS), 10 * MS);
    assert_int_equal(world->follow.waits.taken, 3);
}

/* A process that waits for its input; *ret_in: where to write. */
static uint32_t waiting_child(int *ret_in)
{
    int ends[2];
    char byte, path[64], text[32] = "running";
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves it behind */
        _exit(read(ends[0], &byte, 1) != 1);
    }
    snprintf(path, sizeof path, "/proc/%d/syscall", pid);
    while (text[0] != '0') { /* read */
        FILE *file = fopen(path, "r");
        if (!file || !fgets(text, sizeof text, file))
            text[0] = '0'; /* nobody may look */
        if (file)
            fclose(file);
    }
    close(ends[0]);
    *ret_in = ends[1];
    return (uint32_t)pid;
}

static void child_end(uint32_t pid, int in)
{
    int status;
    assert_int_equal(write(in, "", 1), 1);
    close(in);
    assert_int_equal(waitpid((pid_t)pid, &status, 0), pid);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void switched(struct world *world, uint32_t pid, int out, uint64_t at)
{
    follow_take(&world->follow, record_switch(&world->record, pid, pid, out, at), false);
}

/* A child that waits and is met; skips the test where nobody may look: /proc/PID/syscall is not for
 * everybody. */
static uint32_t met_child(struct world *world, uint64_t began, int *ret_in)
{
    uint32_t pid = waiting_child(ret_in);
    waits_meet(&world->follow.waits, pid, pid, began);
    if (!world->follow.waits.n) {
        child_end(pid, *ret_in);
        skip();
    }
    return pid;
}

/* A thread is met while it waits, and records of switches before that come afterwards: the stack is
 * that of the last wait that began before the look. */
static void met_while_it_waits(void **state)
{
    struct world *world = *state;
    struct waits *waits = &world->follow.waits;
    int in;
    uint64_t began = now_ns();
    uint32_t pid = met_child(world, began, &in);
    uint64_t met = now_ns();
    switched(world, pid, 1, began - 40 * MS);
    switched(world, pid, 0, began - 20 * MS); /* another wait, without a stack */
    switched(world, pid, 1, began);
    switched(world, pid, 0, met + 100 * MS);
    waits_tell(waits, met + 200 * MS, true);
    const uint64_t call = 0 | (uint64_t)WAIT_PIPE << WAIT_FILE_SHIFT; /* read of a pipe */
    assert_int_equal(weight(world, call, WAIT_NS), met + 100 * MS - began);
    assert_int_equal(weight(world, call, WAIT_SEEN), 1);
    assert_int_equal(weight(world, 0, WAIT_NS), 20 * MS);
    child_end(pid, in);
}

/* It comes back, and waits again before stacks are taken: it is met once more. */
static void met_again(void **state)
{
    struct world *world = *state;
    struct waits *waits = &world->follow.waits;
    int in;
    uint64_t began = now_ns();
    uint32_t pid = met_child(world, began, &in);
    uint64_t left = now_ns() + 1;
    switched(world, pid, 0, left);
    switched(world, pid, 1, left + 1);
    while (now_ns() <= left + 1)
        ;
    waits_meet(waits, pid, pid, began);
    uint64_t end = now_ns() + 300 * MS;
    switched(world, pid, 0, end);
    waits_tell(waits, end, true);
    const uint64_t call = 0 | (uint64_t)WAIT_PIPE << WAIT_FILE_SHIFT;
    assert_int_equal(weight(world, call, WAIT_NS), end - left - 1 + left - began);
    assert_int_equal(weight(world, call, WAIT_SEEN), 2);
    assert_int_equal(weight(world, 0, WAIT_NS), 0);
    child_end(pid, in);
}

/* The end of a wait was lost, not the stack of the next one. */
static void a_lost_end(void **state)
{
    struct world *world = *state;
    one_wait(world, A, 0xffffffff81000010, 10 * MS, 0, false);
    one_wait(world, A, 0xffffffff81000020, 20 * MS, 30 * MS, false);
    one_wait(world, A, 0xffffffff81000010, 40 * MS, 0, false);
    one_wait(world, A, 0, 40 * MS + 1000, 50 * MS, false);
    waits_tell(&world->follow.waits, 60 * MS, true);
    assert_int_equal(weight(world, 0xffffffff81000020, WAIT_SEEN), 1);
    assert_int_equal(weight(world, 0xffffffff81000010, WAIT_SEEN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_wait_has_a_stack, begin, end),
        cmocka_unit_test_setup_teardown(some_have_one, begin, end),
        cmocka_unit_test_setup_teardown(across_appends, begin, end),
        cmocka_unit_test_setup_teardown(ends_and_losses, begin, end),
        cmocka_unit_test_setup_teardown(met_while_it_waits, begin, end),
        cmocka_unit_test_setup_teardown(met_again, begin, end),
        cmocka_unit_test_setup_teardown(a_lost_end, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
