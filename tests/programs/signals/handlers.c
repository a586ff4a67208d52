/* Signals, threads, forks, exec and a computed goto: the ways a process moves that are not plain
 * calls. Deterministic output. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
}

static uint64_t interpret(uint64_t n)
{
    static void *const ops[] = {&&add, &&xor, &&rotate, &&multiply};
    uint64_t value = 1, i = 0;
    goto *ops[i & 3];
add:
    value += i;
    if (++i >= n)
        return value;
    goto *ops[value >> 9 & 3];
    xor : value ^= value >> 13;
    if (++i >= n)
        return value;
    goto *ops[i & 3];
rotate:
    value = value << 7 | value >> 57;
    if (++i >= n)
        return value;
    goto *ops[value & 3];
multiply:
    value *= 0x9E3779B97F4A7C15u;
    if (++i >= n)
        return value;
    goto *ops[(value ^ i) & 3];
}

static void *thread(void *n)
{
    return (void *)interpret((uint64_t)n);
}

static void timers(void)
{
    signal(SIGALRM, on_tick);
    struct itimerval every = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &every, NULL);
    uint64_t sum = 0;
    while (ticks < 100)
        sum ^= interpret(1000);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    printf("ticks enough, last bit %d\n", (int)(sum & 0));
}

static void threads(void)
{
    pthread_t id[8];
    for (uint64_t i = 0; i < 8; i++)
        pthread_create(&id[i], NULL, thread, (void *)(100000 + i));
    uint64_t sum = interpret(3000000);
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum ^= (uint64_t)result;
    }
    printf("threads %lx\n", sum);
}

static void children(char *self)
{
    unsigned sum = 0;
    for (int i = 0; i < 20; i++) {
        fflush(stdout);
        pid_t pid = i & 1 ? fork() : vfork();
        if (pid == 0) {
            if (i & 1)
                _exit((int)(interpret(10000 + (unsigned)i) & 63));
            execl(self, self, "child", (char *)NULL);
            _exit(127);
        }
        int status;
        waitpid(pid, &status, 0);
        sum = sum * 31 + (unsigned)status;
    }
    FILE *pipe = popen("echo from a shell; exit 3", "r");
    char line[64] = "";
    if (!pipe || !fgets(line, sizeof line, pipe))
        abort();
    printf("children %u, %s", sum, line);
    printf("system %d\n", pclose(pipe));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return (int)(interpret(200000) & 31);
    printf("interpreted %lx\n", interpret(20000000));
    timers();
    threads();
    children(argv[0]);
    fflush(stdout);
    raise(SIGTERM);
    return 0;
}
