/* Stacks of a running program against elfutils' unwinder: the program is stopped at random instants
 * and then stepped through the next instructions, so that prologues and epilogues are met as often
 * as everything else.
 *
 *     test_stack_instants [--stops N] [--steps N] PROGRAM ARGUMENT...
 *
 * Where libdw gives up early its frames must be the first ones of ours. */
#include "libdw_frames.h"
#include "stopped.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char *default_command[] = {
    (char[]){"/bin/bash"}, (char[]){"-c"},
    (char[]){"f() { [ $1 = 0 ] || f $(($1 - 1)); }; while :; do f 20; done"}, NULL};
static struct {
    char **command;
    unsigned long stops, steps;
} options = {.command = default_command, .stops = 6, .steps = 60};

struct run {
    struct stopped stopped;
    Dwfl *dwfl;
    struct frame_list libdw;
    struct stack stack;
    unsigned long compared, whole, frames, differ, libdw_short;
    double walk_ns; /* CPU time */
};

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void print_difference(struct run *run)
{
    if (run->differ++ >= 5)
        return;
    printf("our stack ends: %s; libdw's beside it\n", stack_end_text[run->stack.end]);
    for (size_t i = 0; i < run->stack.n || i < run->libdw.n; i++)
        printf("  %2zu %#18" PRIx64 " %#18" PRIx64 "\n", i,
               i < run->stack.n ? run->stack.at[i].pc.v : 0,
               i < run->libdw.n ? run->libdw.at[i].pc : 0);
}

static void run_compare(struct run *run)
{
    enum { TIMES = 20 }; /* warm, as after the first samples of a run */
    pid_t pid = run->stopped.pid;
    struct stopped_sample sample;
    assert_true(stopped_sample(&run->stopped, pid, &sample));
    double start = cpu_ns();
    for (int i = 0; i < TIMES; i++)
        stack_walk(&run->stack, &sample.space, &sample.sample);
    run->walk_ns += (cpu_ns() - start) / TIMES;
    libdw_list(&run->libdw, run->dwfl, pid);
    size_t equal = frames_equal(&run->stack, &run->libdw);
    run->compared++;
    run->frames += run->stack.n;
    run->whole += run->stack.end == STACK_OUTERMOST;
    run->libdw_short += equal == run->libdw.n && equal < run->stack.n;
    if (equal != run->libdw.n)
        print_difference(run);
}

/* Stopped by our signal, and not in the middle of another. */
static bool run_stop(struct run *run)
{
    int status;
    usleep(1000 + (useconds_t)(random() % 20000));
    kill(run->stopped.pid, SIGSTOP);
    while (waitpid(run->stopped.pid, &status, 0) == run->stopped.pid && WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == SIGSTOP)
            return true;
        ptrace(PTRACE_CONT, run->stopped.pid, NULL, WSTOPSIG(status));
    }
    return false;
}

static bool run_step(struct run *run)
{
    int status;
    ptrace(PTRACE_SINGLESTEP, run->stopped.pid, NULL, NULL);
    return waitpid(run->stopped.pid, &status, 0) == run->stopped.pid && WIFSTOPPED(status) &&
           WSTOPSIG(status) == SIGTRAP;
}

static void run_instants(struct run *run)
{
    for (unsigned long stop = 0; stop < options.stops; stop++) {
        ptrace(PTRACE_CONT, run->stopped.pid, NULL, NULL);
        if (!run_stop(run))
            return;
        stopped_read_maps(&run->stopped);
        run->dwfl = libdw_attach(run->stopped.pid);
        assert_non_null(run->dwfl);
        run_compare(run);
        for (unsigned long step = 0; step < options.steps && run_step(run); step++)
            run_compare(run);
        dwfl_end(run->dwfl);
    }
}

static void stacks_are_libdws(void **state)
{
    (void)state;
    static struct run run;
    pid_t pid = run.stopped.pid = fork();
    if (pid == 0) {
        freopen("/dev/null", "w", stdout);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(options.command[0], options.command);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFSTOPPED(status))
        fail_msg("cannot run %s", options.command[0]);
    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL);
    run_instants(&run);
    kill(pid, SIGKILL);
    printf("%s: %lu stacks, %lu whole, %.1f frames and %.0f ns each; %lu differ from libdw's, "
           "which are "
           "shorter %lu times\n",
           options.command[0], run.compared, run.whole, (double)run.frames / (double)run.compared,
           run.walk_ns / (double)run.compared, run.differ, run.libdw_short);
    assert_int_equal(run.differ, 0);
    assert_true(run.compared > 50);
    assert_true(run.whole * 100 >= run.compared * 99);
    assert_true(run.libdw_short * 100 <= run.compared);
    stopped_release(&run.stopped);
    stack_release(&run.stack);
    vec_release(&run.libdw);
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        *(strcmp(argv[at], "--stops") == 0 ? &options.stops : &options.steps) =
            strtoul(argv[at + 1], NULL, 10);
    if (at < argc)
        options.command = argv + at;
    if (access(options.command[0], X_OK) != 0) {
        printf("%s is not there\n", options.command[0]);
        return 77;
    }
    srandom((unsigned)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks_are_libdws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
