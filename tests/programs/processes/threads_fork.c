/* Threads that fork: children are copies of one thread only, run on, write, end with a status of
 * their own, and some of them start threads again. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, FORKS = 25 };
static atomic_int prepared, in_parent;
static int in_child;

static void on_prepare(void)
{
    prepared++;
}
static void on_parent(void)
{
    in_parent++;
}
static void on_child(void)
{
    in_child++;
}

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 20000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void *in_thread(void *n)
{
    return (void *)toil((uint64_t)n);
}

static int child(uint64_t n)
{
    uint64_t sum = toil(n);
    if (n % 3 == 0) {
        pthread_t id;
        void *result;
        pthread_create(&id, NULL, in_thread, (void *)sum);
        pthread_join(id, &result);
        sum ^= (uint64_t)result;
    }
    return (int)(sum & 63) + in_child;
}

static void *forks(void *argument)
{
    uint64_t seed = (uint64_t)argument, sum = 0;
    for (uint64_t i = 0; i < FORKS; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(child(seed + i));
        int status;
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            abort();
        sum = sum * 31 + (unsigned)status;
        sum += toil(i) & 1;
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t id[THREADS];
    uint64_t sum = 0;
    pthread_atfork(on_prepare, on_parent, on_child);
    for (uint64_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, forks, (void *)(i * 1000 + 1));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum ^= (uint64_t)result;
    }
    printf("%lx, %d prepared, %d in parents\n", sum, prepared, in_parent);
    return 0;
}
