/* One thread replaces descriptors with dup2, uses and closes them, while others make threads that
 * come and go: no dup2 fails, and no descriptor is closed but by its owner. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MAKERS = 2, MILLISECONDS = 500 };

static atomic_bool stop;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void *work(void *unused)
{
    for (volatile unsigned i = 0; i < 3000000; i++)
        ;
    return unused;
}

static void *make_threads(void *unused)
{
    while (!stop) {
        pthread_t id;
        if (pthread_create(&id, NULL, work, NULL) == 0)
            pthread_join(id, NULL);
    }
    return unused;
}

int main(void)
{
    pthread_t makers[MAKERS];
    long refused = 0, unwritable = 0, unclosable = 0;
    closefrom(3); /* whatever it was started with */
    int source = open("/dev/null", O_RDWR), target = source + 1;
    long until = now() + MILLISECONDS;
    for (int i = 0; i < MAKERS; i++)
        pthread_create(&makers[i], NULL, make_threads, NULL);
    while (now() < until) {
        if (dup2(source, target) != target) {
            refused++;
            continue;
        }
        for (volatile int i = 0; i < 50; i++)
            ;
        unwritable += write(target, "x", 1) != 1;
        unclosable += close(target) != 0;
    }
    stop = true;
    for (int i = 0; i < MAKERS; i++)
        pthread_join(makers[i], NULL);
    printf("dup2 refused %ld times, not writable after it %ld, not to be closed %ld\n", refused,
           unwritable, unclosable);
    return 0;
}
