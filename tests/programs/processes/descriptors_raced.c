/* One thread replaces descriptors with dup2, uses and closes them, while others make threads that
 * come and go: no dup2 fails, and no descriptor is closed but by its owner. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MAKERS = 2, SECONDS = 2 };

static atomic_bool stop;

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
    time_t until = time(NULL) + SECONDS;
    for (int i = 0; i < MAKERS; i++)
        pthread_create(&makers[i], NULL, make_threads, NULL);
    while (time(NULL) < until) {
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
