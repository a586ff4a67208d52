/* Plain handlers (no SA_SIGINFO) that come while the program waits in calls: they compute and wait
 * themselves, fork and return in the child, and leave by a jump. Afterwards the program
 * single-steps itself: no trap of that may be missing, and there may be no other. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 60, FORK_EVERY = 10, PERIOD_US = 700 };

static volatile sig_atomic_t traps, forks, is_child;
static volatile unsigned long word;
static volatile pid_t child;
static sigjmp_buf back;
static enum { DO_WORK, DO_FORK, DO_JUMP } volatile task;

static void work(int n)
{
    for (int i = 0; i < n; i++)
        word = word * 3 + (unsigned long)i;
}

static void on_trap(int signal)
{
    (void)signal;
    traps++;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 1000}, NULL);
}

static void fork_here(void)
{
    child = fork();
    is_child = child == 0;
    forks++;
}

/* Its own calls wait too: a walk that was suspended in the interrupted call, and one in here. */
static void on_alarm(int signal)
{
    (void)signal;
    for (int i = 0; i < 4; i++) {
        work(3000);
        nap();
    }
    if (task == DO_JUMP)
        siglongjmp(back, 1);
    if (task == DO_FORK && !child)
        fork_here();
}

static void alarm_every(long us)
{
    struct itimerval often = {{0, us}, {0, us}};
    setitimer(ITIMER_REAL, &often, NULL);
}

/* A call that only a signal ends: walked up to, waited in, left by the handler's return. */
static void wait_interrupted(void)
{
    static int pipes[2] = {-1, -1};
    char byte;
    if (pipes[0] < 0 && pipe(pipes))
        _exit(3);
    work(3000);
    alarm_every(PERIOD_US);
    if (read(pipes[0], &byte, 1) >= 0)
        printf("wrong: read\n");
    alarm_every(0);
    work(3000);
}

/* The child returns from the handler into the interrupted call, too. */
static void wait_forked(void)
{
    int status = -1;
    child = 0;
    task = DO_FORK;
    wait_interrupted();
    task = DO_WORK;
    if (is_child)
        _exit(7);
    if (waitpid(child, &status, 0) != child || status != 7 << 8)
        printf("wrong: a child that returned from a handler: status %x\n", (unsigned)status);
}

static void wait_left(void)
{
    task = DO_JUMP;
    if (!sigsetjmp(back, 1)) {
        wait_interrupted();
        printf("wrong: nobody jumped\n");
    }
    task = DO_WORK;
    alarm_every(0);
}

/* Each of the five instructions after the first popfq traps. */
static void step(void)
{
    __asm__ volatile("sub $256,%%rsp\n pushfq\n orl $0x100,(%%rsp)\n popfq\n"
                     "nop\n nop\n pushfq\n andl $~0x100,(%%rsp)\n popfq\n add $256,%%rsp" ::
                         : "memory", "cc");
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    signal(SIGTRAP, on_trap);
    for (int i = 0; i < ROUNDS; i++) {
        wait_interrupted();
        if (i % FORK_EVERY == 0)
            wait_forked();
        wait_left();
        int before = traps;
        step();
        if (traps != before + 5)
            printf("wrong: %d traps\n", traps - before);
    }
    printf("%d traps, %d forks\n", traps, forks);
    return 0;
}
