/* Thousands of threads that live for microseconds, one after another and in crowds: their numbers,
 * stacks and thread-local blocks are used again and again. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SINGLE = 1500, CROWDS = 40, CROWD = 25 };

static _Thread_local uint64_t own = 7;

static void *brief(void *n)
{
    for (uint64_t i = 0; i < 50; i++)
        own = own * 6364136223846793005u + (uint64_t)n;
    return (void *)own;
}

static uint64_t crowd(uint64_t seed)
{
    pthread_t id[CROWD];
    uint64_t sum = 0;
    for (uint64_t i = 0; i < CROWD; i++)
        if (pthread_create(&id[i], NULL, brief, (void *)(seed + i)))
            abort();
    for (int i = 0; i < CROWD; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum = sum * 31 + (uint64_t)result;
    }
    return sum;
}

int main(void)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < SINGLE; i++) {
        pthread_t id;
        void *result;
        if (pthread_create(&id, NULL, brief, (void *)i))
            abort();
        pthread_join(id, &result);
        sum = sum * 31 + (uint64_t)result;
    }
    for (uint64_t i = 0; i < CROWDS; i++)
        sum = sum * 31 + crowd(i * 1000);
    printf("%lx\n", sum);
    return 0;
}
