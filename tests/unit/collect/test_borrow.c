/* A thread that was borrowed goes on as if nothing had been. */
#include "base/err.h"
#include "collect/target/borrow.h"
#include "collect/target/remote.h"
#include "collect/target/thread_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ROUNDS = 100 };

/* What the other process says of itself. */
struct seen {
    volatile int stop, ready, result, error, mask_kept;
    volatile unsigned long sum, rounds;
};

static struct seen *seen;

static int map_shared(void **state)
{
    (void)state;
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return seen == MAP_FAILED;
}

static pid_t start(void (*run)(void))
{
    *seen = (struct seen){0};
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run();
        _exit(0);
    }
    while (!seen->ready)
        usleep(100);
    return pid;
}

static int end(pid_t pid)
{
    int status;
    seen->stop = 1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Asks for its number, and gives it back. */
static void borrow_once(pid_t pid)
{
    struct borrowed borrowed;
    struct err err = {0};
    uint64_t got = 0;
    const uint64_t none[6] = {0};
    bool begun = borrow_begin(&borrowed, pid, &err);
    if (!begun)
        fail_msg("%s", err.text);
    assert_true(borrow_need(&borrowed, "getpid", SYS_getpid, none, &got, &err));
    assert_int_equal(got, pid);
    assert_true(borrow_need(&borrowed, "getppid", SYS_getppid, none, &got, &err));
    assert_int_equal(got, getpid());
    borrow_end(&borrowed);
}

static void compute(void)
{
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_SETMASK, &set, NULL);
    seen->mask_kept = 1;
    seen->ready = 1;
    unsigned long x = 1, rounds = 0;
    double y = 1;
    while (!seen->stop) {
        unsigned long before = x;
        x = x * 6364136223846793005u + 1442695040888963407u;
        y = y * 1.5 > 1e6 ? 1 : y * 1.5;
        if (x != before * 6364136223846793005u + 1442695040888963407u)
            _exit(1);
        rounds++;
        sigprocmask(SIG_SETMASK, NULL, &now);
        if (!sigismember(&now, SIGUSR1) || sigismember(&now, SIGUSR2))
            seen->mask_kept = 0;
    }
    seen->rounds = rounds;
    seen->sum = x;
}

static void test_running(void **state)
{
    (void)state;
    pid_t pid = start(compute);
    for (int i = 0; i < ROUNDS; i++)
        borrow_once(pid);
    struct thread_state after;
    assert_true(thread_state_read(pid, pid, &after));
    assert_int_equal(after.traced_by, 0);
    assert_int_equal(end(pid), 0);
    assert_true(seen->mask_kept);
    unsigned long x = 1;
    for (unsigned long i = 0; i < seen->rounds; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    assert_int_equal(seen->sum, x);
}

/* Calls that tell their caller of a stop, natively. */
static void wait_epoll(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event;
    seen->ready = 1;
    seen->result = epoll_wait(fd, &event, 1, 120);
    seen->error = errno;
}

static void wait_sleep(void)
{
    struct timespec wait = {0, 120000000}, left;
    seen->ready = 1;
    seen->result = nanosleep(&wait, &left);
    seen->error = errno;
}

static void wait_pause(void)
{
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGALRM);
    signal(SIGALRM, SIG_IGN);
    struct timespec end = {0, 120000000};
    seen->ready = 1;
    seen->result = ppoll(NULL, 0, &end, &set);
    seen->error = errno;
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    seen->mask_kept = !sigismember(&now, SIGUSR1);
}

static void borrow_sleeping(void (*run)(void))
{
    pid_t pid = start(run);
    for (int i = 0; i < 4; i++) {
        usleep(5000);
        borrow_once(pid);
    }
    assert_int_equal(end(pid), 0);
    if (seen->result)
        fail_msg("the call told of an interruption: %d", seen->error);
}

static void test_sleeping(void **state)
{
    (void)state;
    borrow_sleeping(wait_epoll);
    borrow_sleeping(wait_sleep);
    borrow_sleeping(wait_pause);
    assert_true(seen->mask_kept);
}

/* Who borrowed it is killed before it gives it back. */
static void abandon(pid_t pid)
{
    pid_t killed = fork();
    if (killed == 0) {
        struct borrowed borrowed;
        struct err err;
        uint64_t got;
        bool made = borrow_begin(&borrowed, pid, &err) &&
                    borrow_need(&borrowed, "getpid", SYS_getpid, (uint64_t[6]){0}, &got, &err);
        _exit(!made);
    }
    int status;
    assert_int_equal(waitpid(killed, &status, 0), killed);
    assert_int_equal(status, 0);
}

static void test_abandoned(void **state)
{
    (void)state;
    pid_t pid = start(compute);
    for (int i = 0; i < 10; i++)
        abandon(pid);
    assert_int_equal(end(pid), 0);
    assert_true(seen->mask_kept);
    pid = start(wait_sleep);
    usleep(5000);
    abandon(pid);
    assert_int_equal(end(pid), 0);
    assert_int_equal(seen->result, 0);
}

/* Code that a thread of ours runs there: exit(0). */
static const uint8_t leave[] = {0x31, 0xff, 0xb8, 60, 0, 0, 0, 0x0f, 0x05};

static uint64_t code_put(struct borrowed *borrowed, struct err *err)
{
    uint64_t at, none;
    assert_true(borrow_need(
        borrowed, "mapping", SYS_mmap,
        (uint64_t[6]){0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX},
        &at, err));
    assert_true(remote_write(borrowed->pid, at, leave, sizeof leave, err));
    assert_true(borrow_need(borrowed, "protecting", SYS_mprotect,
                            (uint64_t[6]){at, 4096, PROT_READ | PROT_EXEC}, &none, err));
    return at;
}

static void code_run(struct borrowed *borrowed, struct err *err)
{
    uint64_t at = code_put(borrowed, err), none;
    struct thread_state spawned;
    int tid;
    assert_true(borrow_spawn(borrowed, at, at + 4096, 0, &tid, err));
    while (thread_state_read(borrowed->pid, tid, &spawned))
        usleep(100);
    assert_true(
        borrow_need(borrowed, "unmapping", SYS_munmap, (uint64_t[6]){at, 4096}, &none, err));
}

static void test_spawn(void **state)
{
    (void)state;
    pid_t pid = start(compute);
    struct borrowed borrowed;
    struct err err = {0};
    uint64_t none;
    assert_true(borrow_begin(&borrowed, pid, &err));
    assert_false(borrow_need(&borrowed, "trying", SYS_munmap, (uint64_t[6]){1}, &none, &err));
    assert_non_null(strstr(err.text, "trying: Invalid argument"));
    code_run(&borrowed, &err);
    borrow_end(&borrowed);
    assert_int_equal(end(pid), 0);
}

enum { FLAG_TRAP = 0x100, FLAG_DIRECTION = 0x400, FLAGS_ODD = FLAG_TRAP | FLAG_DIRECTION };

static void count_trap(int signal)
{
    (void)signal;
    seen->rounds++;
}

/* Single-steps itself, with the direction flag set, until it is to stop; keeps what flags it has
 * then. */
static void step_oneself(void)
{
    uint64_t flags;
    signal(SIGTRAP, count_trap);
    seen->ready = 1;
    __asm__ volatile("sub $256,%%rsp\n pushfq\n orl %2,(%%rsp)\n popfq\n"
                     "1: cmpl $0,%1\n je 1b\n"
                     "pushfq\n mov (%%rsp),%0\n andl $~%c2,(%%rsp)\n popfq\n add $256,%%rsp"
                     : "=&r"(flags)
                     : "m"(seen->stop), "i"(FLAGS_ODD)
                     : "memory", "cc");
    seen->sum = flags & FLAGS_ODD;
}

/* A thread of ours that began with the trap flag set died of it, and the program with it. */
static void test_odd_flags(void **state)
{
    (void)state;
    pid_t pid = start(step_oneself);
    while (!seen->rounds)
        usleep(100);
    int stepping = 0;
    for (int i = 0; i < ROUNDS && stepping < 5; i++) {
        struct borrowed borrowed;
        struct err err = {0};
        assert_true(borrow_begin(&borrowed, pid, &err));
        stepping += (borrowed.registers.eflags & FLAGS_ODD) == FLAGS_ODD;
        code_run(&borrowed, &err);
        borrow_end(&borrowed);
    }
    assert_int_equal(end(pid), 0);
    assert_true(stepping);
    assert_int_equal(seen->sum, FLAGS_ODD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_running),   cmocka_unit_test(test_sleeping),
        cmocka_unit_test(test_abandoned), cmocka_unit_test(test_spawn),
        cmocka_unit_test(test_odd_flags),
    };
    return cmocka_run_group_tests(tests, map_shared, NULL);
}
