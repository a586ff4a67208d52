/* Threads that signal one another while they compute, lock and allocate: interrupted at any
 * instruction. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 3000 };
static pthread_t id[THREADS];
static pthread_barrier_t started, ended;
static _Thread_local volatile unsigned mine;
static atomic_uint sent;
static atomic_uint handled;

static void on_signal(int signal)
{
    mine += (unsigned)signal;
    handled++;
}

static void *run(void *argument)
{
    uint64_t me = (uint64_t)argument, sum = me;
    char text[128];
    pthread_barrier_wait(&started);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        char *piece = malloc(16 + i % 300);
        memset(piece, (int)i, 16 + i % 300);
        snprintf(text, sizeof text, "%lu %.9g %x", i, (double)i / 7, (unsigned char)piece[i % 16]);
        for (char *c = text; *c; c++)
            sum = sum * 31 + (unsigned char)*c;
        free(piece);
        if (i % 4 == 0)
            sent += pthread_kill(id[(me + i / 4) % THREADS], SIGUSR1 + (i % 8 ? 2 : 0)) == 0;
    }
    pthread_barrier_wait(&ended);
    return (void *)sum;
}

int main(void)
{
    uint64_t sum = 0;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    pthread_barrier_init(&started, NULL, THREADS);
    pthread_barrier_init(&ended, NULL, THREADS);
    for (uint64_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(id[i], &result);
        sum ^= (uint64_t)result;
    }
    printf("%lx, %u sent, %s\n", sum, sent, handled && handled <= sent ? "handled" : "lost");
    return 0;
}
