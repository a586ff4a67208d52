/* Interrupts a thread as Go does: by SIGURG, whose handler makes it call a function wherever it
 * was. No second signal is sent before the first has arrived. The thread shares its CPU with
 * another, so signals often wait for it together. Says whether one did not arrive in half a second
 * of the thread's CPU time. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int under_way, tid, over;
static volatile unsigned long sum;

unsigned long moves;
void moved(void); /* below the red zone, which it gives back */
__asm__(".globl moved\n"
        ".type moved, @function\n"
        "moved:\n"
        "  pushfq\n"
        "  lock incq moves(%rip)\n"
        "  popfq\n"
        "  ret $128\n"
        ".size moved, .-moved\n");

static void interrupted(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal, (void)info;
    registers[REG_RSP] -= 128 + 8;
    *(unsigned long *)registers[REG_RSP] = (unsigned long)registers[REG_RIP];
    registers[REG_RIP] = (greg_t)moved;
    under_way = 0;
}

static void on_cpu(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set); /* where that is not permitted, it meets others less */
}

__attribute__((noipa)) static void turn(void)
{
    for (int i = 0; i < 100000; i++)
        sum = sum * 5 + 1;
}

static void *work(void *shared)
{
    char *stack = malloc(65536);
    stack_t apart = {.ss_sp = stack, .ss_size = 65536};
    sigaltstack(&apart, NULL);
    on_cpu(0);
    if (!shared)
        tid = (int)syscall(SYS_gettid);
    while (!over)
        turn();
    return NULL;
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.2, sent = 0, used = 0;
    struct sigaction action = {.sa_sigaction = interrupted,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    pthread_t worker, other;
    clockid_t clock;
    sigfillset(&action.sa_mask);
    sigaction(SIGURG, &action, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&other, NULL, work, &other);
    pthread_getcpuclockid(worker, &clock);
    while (!tid)
        usleep(100);
    while (used < seconds && !(under_way && used - sent > 0.5)) {
        used = seconds_of(clock);
        if (!under_way) {
            under_way = 1;
            sent = used;
            syscall(SYS_tgkill, getpid(), tid, SIGURG);
        }
        usleep(300);
    }
    int lost = under_way && used - sent > 0.5;
    over = 1;
    pthread_join(worker, NULL);
    pthread_join(other, NULL);
    puts(lost ? "one was lost" : moves > 10 ? "all arrived" : "few arrived");
    return lost;
}
