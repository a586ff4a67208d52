/* Calls that wait, and what may come meanwhile: signals that end them, jumps out of handlers, traps
 * of the program's own, cancellation, children. The program prints what it must print alone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 150, TRAP_FLAG = 0x100 };

static sigjmp_buf back;
static volatile sig_atomic_t jumps, alarms, traps, flagged;
static int quiet[2], busy[2];
static volatile unsigned long word;

static void on_alarm(int signal, siginfo_t *info, void *context)
{
    const greg_t *gregs = ((const ucontext_t *)context)->uc_mcontext.gregs;
    /* A call leaves its address and the flags in two registers; others keep there what they like. */
    int called = gregs[REG_RCX] == gregs[REG_RIP] || gregs[REG_RCX] == gregs[REG_RIP] + 2;
    (void)signal, (void)info;
    alarms++;
    flagged += (gregs[REG_EFL] & TRAP_FLAG) != 0;
    flagged += called && (gregs[REG_R11] & TRAP_FLAG) != 0;
    if (jumps)
        siglongjmp(back, 1);
}

static void on_trap(int signal)
{
    (void)signal;
    traps++;
}

static void work(int n)
{
    for (int i = 0; i < n; i++)
        word = word * 3 + (unsigned long)i;
}

static void expect(int holds, const char *what)
{
    if (!holds)
        printf("wrong: %s\n", what);
}

/* Again and again: the first may come before the call that it is to end. 0: no more. */
static void alarm_every(long us)
{
    struct itimerval often = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &often, NULL);
}

/* An alarm ends a read that would wait for ever. */
static void interrupted(void)
{
    char byte;
    int before = alarms;
    work(5000);
    alarm_every(400);
    expect(read(quiet[0], &byte, 1) < 0 && errno == EINTR, "a read that a signal ends");
    alarm_every(0);
    expect(alarms > before, "an alarm");
    work(5000);
}

static void left(void)
{
    char byte;
    jumps = 1;
    if (!sigsetjmp(back, 1)) {
        work(5000);
        alarm_every(400);
        expect(read(quiet[0], &byte, 1) < 0, "a read that a jump leaves");
    }
    jumps = 0;
    alarm_every(0);
    work(5000);
}

static void trapped(void)
{
    int before = traps;
    struct timespec moment = {0, 1000};
    work(3000);
    nanosleep(&moment, NULL);
    __asm__ volatile("int3");
    raise(SIGTRAP);
    expect(traps == before + 2, "traps of its own");
}

/* All signals are blocked for the call, or for all around it. */
static void masked(void)
{
    sigset_t all, before;
    struct timespec moment = {0, 1000};
    unsigned long every = ~0ul, old;
    sigfillset(&all);
    work(3000);
    expect(ppoll(NULL, 0, &moment, &all) == 0, "ppoll");
    work(3000);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    nanosleep(&moment, NULL);
    work(3000);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &old, 8);
    nanosleep(&moment, NULL);
    work(3000);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
    nanosleep(&moment, NULL);
}

static void *waits(void *ready)
{
    char byte;
    work(5000);
    *(volatile int *)ready = 1;
    for (;;)
        if (read(quiet[0], &byte, 1) == 1)
            return NULL;
}

static void cancelled(void)
{
    pthread_t thread;
    volatile int ready = 0;
    void *result = NULL;
    pthread_create(&thread, NULL, waits, (void *)&ready);
    while (!ready)
        sched_yield();
    pthread_cancel(thread);
    pthread_join(thread, &result);
    expect(result == PTHREAD_CANCELED, "a cancelled read");
}

static void children(void)
{
    extern char **environ;
    char *words[] = {"true", NULL};
    int status = -1, spawned = -1;
    pid_t child = fork();
    if (child == 0) {
        work(3000);
        nanosleep(&(struct timespec){0, 1000}, NULL);
        _exit(7);
    }
    work(3000);
    expect(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7, "a child");
    if (posix_spawnp(&child, "true", NULL, NULL, words, environ) == 0)
        waitpid(child, &spawned, 0);
    expect(spawned == 0, "a spawned child");
}

/* Two threads hand a byte to and fro. */
static void *answers(void *unused)
{
    char byte;
    while (read(busy[0], &byte, 1) == 1 && byte != 'e') {
        work(500);
        expect(write(quiet[1], &byte, 1) == 1, "an answer");
    }
    return unused;
}

static void exchanged(void)
{
    pthread_t thread;
    char byte = 'x';
    long sum = 0;
    pthread_create(&thread, NULL, answers, NULL);
    for (int i = 0; i < 2000; i++) {
        work(500);
        byte = (char)('A' + i % 26);
        expect(write(busy[1], &byte, 1) == 1 && read(quiet[0], &byte, 1) == 1, "an exchange");
        sum += byte;
    }
    byte = 'e';
    expect(write(busy[1], &byte, 1) == 1, "the end");
    pthread_join(thread, NULL);
    printf("exchanged %ld\n", sum);
}

int main(void)
{
    struct sigaction alarm_action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
    struct sigaction trap_action = {.sa_handler = on_trap};
    if (pipe(quiet) || pipe(busy))
        return 1;
    sigaction(SIGALRM, &alarm_action, NULL);
    sigaction(SIGTRAP, &trap_action, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        interrupted();
        left();
        trapped();
        masked();
        if (i % 8 == 0)
            cancelled();
        if (i % 16 == 0)
            children();
    }
    exchanged();
    printf("traps %d, flagged %d\n", traps, flagged);
    return 0;
}
