/* exit() in a thread while the others are busy: what was registered runs there, buffers are
 * written, and the status is the thread's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned long spins;
static pthread_t leaver;

static void *busy(void *unused)
{
    for (;;)
        spins++;
    return unused;
}

static void at_end(void)
{
    puts(pthread_equal(leaver, pthread_self()) ? "in the thread" : "elsewhere");
}

static void *leaves(void *unused)
{
    leaver = pthread_self();
    usleep(20000);
    printf("leaving with words still in the buffer, ");
    exit(spins ? 21 : 22);
    return unused;
}

int main(void)
{
    pthread_t id;
    atexit(at_end);
    for (int i = 0; i < 3; i++)
        pthread_create(&id, NULL, busy, NULL);
    pthread_create(&id, NULL, leaves, NULL);
    busy(NULL);
}
