/* Long busy threads on shared code, with a mutex, a condition variable, a barrier and thread-local
 * sums. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 6, ROUNDS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static unsigned turn;
static uint64_t order;

static uint64_t work(uint64_t seed)
{
    char text[64];
    double x = (double)(seed % 1000);
    for (int i = 0; i < 2000; i++) {
        x = x * 1.0000001 + (double)i / 3;
        if (i % 500 == 0)
            snprintf(text, sizeof text, "%.6f %d", x, i), seed += strlen(text);
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    }
    return seed + (uint64_t)x;
}

static void *run(void *argument)
{
    unsigned me = (unsigned)(uint64_t)argument;
    uint64_t sum = me + 1;
    for (int i = 0; i < ROUNDS; i++) {
        sum = work(sum);
        pthread_barrier_wait(&barrier);
        pthread_mutex_lock(&lock);
        while (turn % THREADS != me)
            pthread_cond_wait(&turn_changed, &lock);
        order = order * 31 + sum;
        turn++;
        pthread_cond_broadcast(&turn_changed);
        pthread_mutex_unlock(&lock);
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t id[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uint64_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    printf("%lx after %u turns\n", order, turn);
    return 0;
}
