/* Threads that wait, each for one thing, and for as long as the program prints: name and
 * milliseconds. A wait lasts at least that long, and four times as long with `slow`. With `hold` it
 * waits for its input alone. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static int slowness = 1;

static void rest(int ms)
{
    struct timespec time = {0, ms * slowness * 1000000L};
    nanosleep(&time, NULL);
}

static void *sleeper(void *none)
{
    for (int i = 0; i < 10; i++)
        rest(30);
    return none;
}

/* The lock is held by main, which waits meanwhile. */
static void *locker(void *none)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return none;
}

static void *reader(void *none)
{
    char byte;
    return read(ends[0], &byte, 1) == 1 ? none : NULL;
}

static void *poller(void *none)
{
    struct pollfd nothing = {.fd = -1};
    for (int i = 0; i < 4; i++)
        poll(&nothing, 1, 50 * slowness);
    return none;
}

int main(int argc, char **argv)
{
    char byte;
    if (argc > 1 && !strcmp(argv[1], "slow"))
        slowness = 4;
    if (argc > 1 && !strcmp(argv[1], "hold")) {
        puts("ready");
        fflush(stdout);
        return read(0, &byte, 1) < 0;
    }
    void *(*const all[])(void *) = {sleeper, locker, reader, poller};
    pthread_t threads[4];
    if (pipe(ends) < 0)
        return 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, all[i], NULL);
    rest(200);
    pthread_mutex_unlock(&lock);
    rest(50);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    /* Threads start late on a busy machine: these two may have come when half was over. */
    puts("sleeper 300\nlocker 100\nreader 125\npoller 200");
    return 0;
}
