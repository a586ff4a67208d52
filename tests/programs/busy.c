/* A busy program that would notice: threads that compute and check what they computed, threads that
 * wait in calls that tell of interruptions, threads that come and go, handlers of its own. Runs
 * until SIGTERM, then says how it fared; anything out of the ordinary ends it with 1 and a line
 * about it. Does so many rounds a thread and ends by itself if it is given a number. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 3, EARS = 2 };

static volatile sig_atomic_t over;
static unsigned long limit;
static unsigned long rounds[WORKERS], waits, births, ears;
static int ends[2];

static void fail(const char *what)
{
    fprintf(stderr, "busy: %s: %s\n", what, strerror(errno));
    _exit(1);
}

static __attribute__((noinline)) uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    return x * 0x9E3779B97F4A7C15u;
}

/* The same twice, by integers and by vectors of doubles; a register that is not given back shows.
 */
static __attribute__((noinline)) void compute(uint64_t seed)
{
    uint64_t a = seed, b = seed;
    double u[4] = {1, 2, 3, 4}, v[4] = {1, 2, 3, 4};
    for (int i = 0; i < 2000; i++) {
        a = mix(a);
        for (int j = 0; j < 4; j++)
            u[j] = u[j] * 1.0000001 + j;
    }
    for (int i = 0; i < 2000; i++) {
        b = mix(b);
        for (int j = 0; j < 4; j++)
            v[j] = v[j] * 1.0000001 + j;
    }
    if (a != b || memcmp(u, v, sizeof u))
        fail("two computations differ");
}

static void *work(void *closure)
{
    unsigned long *count = closure;
    while (!over && (!limit || *count < limit)) {
        compute(*count);
        ++*count;
    }
    return NULL;
}

/* epoll_wait answers EINTR to a stop that no handler was for. */
static void *listen_for(void *closure)
{
    (void)closure;
    int fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (fd < 0 || epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event))
        fail("epoll");
    __atomic_fetch_add(&ears, 1, __ATOMIC_RELEASE);
    while (!over) {
        struct timespec nap = {0, 3000000}, left;
        if (epoll_wait(fd, &event, 1, 7) < 0)
            fail("epoll_wait");
        if (nanosleep(&nap, &left))
            fail("nanosleep");
        __atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
    }
    close(fd);
    return NULL;
}

static void *live_briefly(void *closure)
{
    compute((uint64_t)(uintptr_t)closure);
    return NULL;
}

static void *beget(void *closure)
{
    (void)closure;
    while (!over) {
        pthread_t child;
        if (pthread_create(&child, NULL, live_briefly, NULL))
            fail("pthread_create");
        pthread_join(child, NULL);
        usleep(2000);
        births++;
    }
    return NULL;
}

/* Faults that it meets on purpose, with a handler on a stack of its own. */
static __thread sigjmp_buf back;
static char other_stack[1 << 16];

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number != SIGSEGV || info->si_addr != (void *)8)
        fail("a fault that was not meant");
    siglongjmp(back, 1);
}

static void *stumble(void *closure)
{
    (void)closure;
    stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    sigaltstack(&stack, NULL);
    while (!over) {
        if (sigsetjmp(back, 1) == 0)
            *(volatile int *)8 = 1;
        usleep(1000);
        compute(1);
    }
    return NULL;
}

static void on_end(int number)
{
    over = number;
}

static void actions_set(void)
{
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction end = {.sa_handler = on_end};
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGTERM, &end, NULL);
    /* Only the main thread is told of the end: nobody else's call is interrupted by it. */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
    pthread_t workers[WORKERS], others[EARS + 2];
    limit = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (pipe(ends))
        fail("pipe");
    actions_set();
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, &rounds[i]);
    for (int i = 0; i < EARS; i++)
        pthread_create(&others[i], NULL, listen_for, NULL);
    pthread_create(&others[EARS], NULL, beget, NULL);
    pthread_create(&others[EARS + 1], NULL, stumble, NULL);
    while (__atomic_load_n(&ears, __ATOMIC_ACQUIRE) < EARS)
        usleep(1000);
    puts("ready"); /* whatever it opens is open */
    fflush(stdout);
    if (!limit) {
        sigset_t none;
        sigemptyset(&none);
        while (!over)
            sigsuspend(&none);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    over = 1;
    for (int i = 0; i < EARS + 2; i++)
        pthread_join(others[i], NULL);
    printf("%lu rounds, %lu waits, %lu threads\n", rounds[0] + rounds[1] + rounds[2], waits,
           births);
    return 0;
}
