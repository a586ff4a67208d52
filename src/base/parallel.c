#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

struct job {
    size_t n;
    void (*work)(void *context, size_t i, unsigned worker);
    void *context;
    atomic_size_t next;
    atomic_uint workers;
};

static void *job_run(void *argument)
{
    struct job *job = argument;
    unsigned worker = atomic_fetch_add(&job->workers, 1);
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->n;)
        job->work(job->context, i, worker);
    return NULL;
}

/* What this process may use, which can be less than the machine has. */
static unsigned cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > PARALLEL_MAX ? PARALLEL_MAX : (unsigned)n;
}

void parallel_for(size_t n, void (*work)(void *context, size_t i, unsigned worker), void *context)
{
    struct job job = {.n = n, .work = work, .context = context};
    pthread_t threads[PARALLEL_MAX];
    unsigned wanted = n < 2 ? 1 : cores(), started = 0;
    /* Signals stay with the thread that the program has: it knows what they mean. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started + 1 < wanted && started + 1 < n &&
           pthread_create(&threads[started], NULL, job_run, &job) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    job_run(&job);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
