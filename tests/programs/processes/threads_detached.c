/* Detached threads: nobody waits for them, their stacks go when they go, and the last one is still
 * busy when main returns. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>

enum { THREADS = 400 };
static atomic_uint done;
static atomic_ulong sum;

static void *toil(void *n)
{
    unsigned long x = (unsigned long)n;
    for (int i = 0; i < 3000; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sum += x;
    done++;
    return NULL;
}

static void *never_ends(void *unused)
{
    for (;;)
        toil(unused), done--;
    return NULL;
}

int main(void)
{
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&detached, 64 << 10);
    for (unsigned long i = 0; i < THREADS; i++) {
        pthread_t id;
        if (pthread_create(&id, &detached, toil, (void *)i))
            abort();
        if (i % 8 == 0)
            sched_yield();
    }
    while (done < THREADS)
        sched_yield();
    printf("%u threads, %lx\n", done, (unsigned long)sum);
    fflush(stdout);
    pthread_t id;
    pthread_create(&id, &detached, never_ends, NULL);
    return 5;
}
