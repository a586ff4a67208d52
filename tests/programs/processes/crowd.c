/* Threads that come and go, a child, and calls of some depth: enough life that a moment picked at
 * random finds something going on. Prints a sum that only depends on its argument, and ends with 7.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3 };
static unsigned long rounds;

static __attribute__((noinline)) uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    return x * 0x9E3779B97F4A7C15u;
}

static __attribute__((noinline)) uint64_t descend(uint64_t x, int depth)
{
    return depth ? mix(descend(mix(x), depth - 1)) : x;
}

static __attribute__((noinline)) uint64_t toil(uint64_t seed)
{
    for (unsigned long i = 0; i < rounds; i++)
        seed = descend(seed, 8);
    return seed;
}

static void *thread(void *seed)
{
    *(uint64_t *)seed = toil(*(uint64_t *)seed);
    return NULL;
}

static uint64_t child(uint64_t seed)
{
    int ends[2];
    uint64_t sum = 0;
    if (pipe(ends) < 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        sum = toil(seed);
        _exit(write(ends[1], &sum, sizeof sum) != sizeof sum);
    }
    if (pid < 0 || read(ends[0], &sum, sizeof sum) != sizeof sum)
        exit(1);
    waitpid(pid, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    for (int wave = 0; wave < 4; wave++) {
        pthread_t threads[THREADS];
        uint64_t seeds[THREADS];
        for (int i = 0; i < THREADS; i++) {
            seeds[i] = (uint64_t)(wave * THREADS + i + 1);
            if (pthread_create(&threads[i], NULL, thread, &seeds[i]))
                return 1;
        }
        sum += child((uint64_t)wave);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            sum += seeds[i];
        }
    }
    printf("sum %llu\n", (unsigned long long)sum);
    return 7;
}
