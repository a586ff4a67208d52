#include "collect/target/stop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int to_parent[2], to_child[2];

static void *thread(void *unused)
{
    int tid = (int)syscall(SYS_gettid);
    if (write(to_parent[1], &tid, sizeof tid) != sizeof tid)
        _exit(1);
    for (;;)
        pause();
    return unused;
}

static void child(void)
{
    pthread_t started;
    char go;
    pthread_create(&started, NULL, thread, NULL);
    _exit(read(to_child[0], &go, 1) == 1 ? 3 : 1);
}

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* A process ends while one of its threads is traced: that it has ended is told when the thread has
 * been waited for. */
static void ends_of_traced_threads_are_taken(void **state)
{
    (void)state;
    int tid, status = 0;
    assert_int_equal(pipe(to_parent) | pipe(to_child), 0);
    pid_t pid = fork();
    if (pid == 0)
        child();
    assert_int_equal(read(to_parent[0], &tid, sizeof tid), sizeof tid);
    if (ptrace(PTRACE_SEIZE, tid, 0, 0)) {
        assert_int_equal(write(to_child[1], "g", 1), 1);
        waitpid(pid, NULL, 0);
        print_message("threads cannot be traced here\n");
        skip();
    }
    assert_int_equal(write(to_child[1], "g", 1), 1);
    nap(50);
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    pid_t got = 0;
    for (int i = 0; i < 100 && !got; i++) {
        stop_reap(pid);
        got = waitpid(pid, &status, WNOHANG);
        nap(10);
    }
    assert_int_equal(got, pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends_of_traced_threads_are_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
