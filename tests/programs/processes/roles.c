/* What code runs in which thread and under which lock, planted: one function of one thread alone,
 * one that both run, one under a mutex, one half of the time under it, one under a spin lock; one
 * thread on the first CPU that it may use, the other on the last. With an argument, so many rounds,
 * and where the locks are is printed, and which CPUs these are. */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORK = 400 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int spin;
static volatile uint64_t sink;
static long rounds = 2000;
static int first_cpu, last_cpu;

static inline uint64_t work(uint64_t x, uint64_t odd)
{
    for (int i = 0; i < WORK; i++)
        x = x * 6364136223846793005u + odd;
    return x;
}

/* Each with a number of its own: code that is the same would become one function. */
#define ROLE(name, odd)                                                                            \
    __attribute__((noinline)) static void name(void)                                               \
    {                                                                                              \
        sink = work(sink, odd);                                                                    \
    }
ROLE(alone_first, 1)
ROLE(alone_second, 3)
ROLE(both, 5)
ROLE(guarded, 7)
ROLE(sometimes, 9)
ROLE(spun, 11)

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void round_of(void (*alone)(void), long i)
{
    alone();
    both();
    pthread_mutex_lock(&mutex);
    guarded();
    if (i % 2)
        sometimes();
    pthread_mutex_unlock(&mutex);
    if (i % 2 == 0)
        sometimes();
    while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    spun();
    __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
}

static void *second(void *unused)
{
    pthread_setname_np(pthread_self(), "second");
    pin(last_cpu);
    for (long i = 0; i < rounds; i++)
        round_of(alone_second, i);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    while (!CPU_ISSET(first_cpu, &set) && first_cpu + 1 < CPU_SETSIZE)
        first_cpu++;
    for (int i = 0; i < CPU_SETSIZE; i++)
        last_cpu = CPU_ISSET(i, &set) ? i : last_cpu;
    if (argc > 1) {
        rounds = strtol(argv[1], NULL, 0);
        printf("%p %p %d %d\n", (void *)&mutex, (void *)(uintptr_t)&spin, first_cpu, last_cpu);
    }
    pthread_create(&thread, NULL, second, NULL);
    pin(first_cpu);
    for (long i = 0; i < rounds; i++)
        round_of(alone_first, i);
    return pthread_join(thread, NULL);
}
