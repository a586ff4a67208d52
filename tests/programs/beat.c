/* beat PERIOD_US CPU_SECONDS: two functions in turn, each for half of the period by the thread's
 * CPU clock, in the main thread and then in another: what a sampler with a steady beat gets wrong.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { BUSY = 20000 }; /* asking for the time shall be little of it */

static long period_ns;
static double seconds;

static long cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((noinline)) static void beat_even(long until_ns)
{
    while (cpu_ns() < until_ns)
        for (int i = 0; i < BUSY; i++)
            __asm__ volatile("");
}

__attribute__((noinline)) static void beat_odd(long until_ns)
{
    while (cpu_ns() < until_ns)
        for (int i = 0; i < BUSY; i++)
            __asm__ volatile("" ::: "memory");
}

static void *beat(void *unused)
{
    long start = cpu_ns();
    for (long i = 0; (double)i * (double)period_ns < seconds * 1e9; i++) {
        beat_even(start + i * period_ns + period_ns / 2);
        beat_odd(start + (i + 1) * period_ns);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    period_ns = argc > 1 ? atol(argv[1]) * 1000 : 1000000;
    seconds = argc > 2 ? atof(argv[2]) : 1;
    beat(NULL);
    if (pthread_create(&thread, NULL, beat, NULL))
        return 1;
    return pthread_join(thread, NULL);
}
