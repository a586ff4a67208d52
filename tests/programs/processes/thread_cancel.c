/* Threads cancelled: at a cancellation point, in a blocking call, asynchronously in a loop; their
 * cleanup handlers run in order. Last, the main thread is cancelled by another. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static volatile int ready;
static volatile unsigned long spins;
static pthread_t main_thread;

static void cleanup(void *text)
{
    printf("cleanup: %s\n", (char *)text);
}

static void *blocks(void *unused)
{
    char byte;
    pthread_cleanup_push(cleanup, "outer");
    pthread_cleanup_push(cleanup, "inner");
    ready = 1;
    if (read(ends[0], &byte, 1))
        abort();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

static void *tests(void *unused)
{
    pthread_cleanup_push(cleanup, "polite");
    ready = 1;
    for (;;)
        spins++, pthread_testcancel();
    pthread_cleanup_pop(0);
    return unused;
}

static void *spins_on(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(cleanup, "asynchronous");
    ready = 1;
    for (;;)
        spins++;
    pthread_cleanup_pop(0);
    return unused;
}

static void cancelled(void *(*function)(void *))
{
    pthread_t id;
    void *result;
    ready = 0;
    pthread_create(&id, NULL, function, NULL);
    while (!ready)
        usleep(100);
    usleep(1000);
    pthread_cancel(id);
    pthread_join(id, &result);
    puts(result == PTHREAD_CANCELED ? "cancelled" : "returned");
}

static void *ends_main(void *unused)
{
    void *result;
    pthread_cancel(main_thread);
    pthread_join(main_thread, &result);
    puts(result == PTHREAD_CANCELED ? "main cancelled" : "main returned");
    exit(3);
    return unused;
}

int main(void)
{
    if (pipe(ends))
        return 1;
    for (int i = 0; i < 5; i++) {
        cancelled(blocks);
        cancelled(tests);
        cancelled(spins_on);
    }
    pthread_t id;
    main_thread = pthread_self();
    pthread_create(&id, NULL, ends_main, NULL);
    pthread_cleanup_push(cleanup, "main");
    for (;;)
        pause();
    pthread_cleanup_pop(0);
}
