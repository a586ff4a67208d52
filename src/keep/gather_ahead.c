#include "keep/gather_ahead.h"

#include "base/clock.h"
#include "keep/gather_module.h"
#include "profile/places.h"
#include "profile/profile.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

struct gather_ahead {
    pthread_t thread;
    clockid_t clock; /* its CPU time */
    uint64_t used_ns;
    bool ended; /* nothing is left of the thread but used_ns */
    struct gather_wish wish;
    atomic_bool stops;

    pthread_mutex_t lock;
    pthread_cond_t told;
    bool works; /* guarded by the lock; while it does, the rest is the thread's */

    struct profile profile; /* modules and facts */
    struct places places;
    struct jobs {
        VEC(struct module_gather *); /* by module */
    } jobs;
};

/* ---- the thread */

static void work(struct gather_ahead *ahead)
{
    for (size_t i = 0; i < ahead->jobs.n && !atomic_load(&ahead->stops); i++)
        module_gather_ahead(ahead->jobs.at[i], &ahead->profile, &ahead->places);
}

static void *thread_run(void *context)
{
    struct gather_ahead *ahead = context;
    pthread_mutex_lock(&ahead->lock);
    while (!atomic_load(&ahead->stops)) {
        if (!ahead->works) {
            pthread_cond_wait(&ahead->told, &ahead->lock);
            continue;
        }
        pthread_mutex_unlock(&ahead->lock);
        work(ahead);
        pthread_mutex_lock(&ahead->lock);
        ahead->works = false;
    }
    pthread_mutex_unlock(&ahead->lock);
    ahead->used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

/* Signals stay with the thread that the tool has: it knows what they mean. */
struct gather_ahead *gather_ahead_start(struct gather_wish wish)
{
    struct gather_ahead *ahead = mem_alloc(sizeof *ahead);
    struct sched_param idle = {0};
    sigset_t all, before;
    ahead->wish = wish;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->told, NULL);
    profile_init(&ahead->profile);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&ahead->thread, NULL, thread_run, ahead) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started || pthread_getcpuclockid(ahead->thread, &ahead->clock) != 0) {
        ahead->ended = !started;
        gather_ahead_release(ahead);
        return NULL;
    }
    pthread_setschedparam(ahead->thread, SCHED_IDLE, &idle);
    return ahead;
}

/* ---- who tells it */

static void modules_copy(struct gather_ahead *ahead, const struct profile *profile)
{
    ahead->profile.mode = profile->mode;
    for (size_t i = ahead->profile.modules.n; i < profile->modules.n; i++) {
        const struct module *module = &profile->modules.at[i];
        profile_module(&ahead->profile, module->path, module->build_id, module->build_id_bytes);
    }
    for (size_t i = 0; i < profile->facts.n; i++)
        profile_fact(&ahead->profile, profile->facts.at[i].key, profile->facts.at[i].value);
    while (ahead->jobs.n < ahead->profile.modules.n) {
        struct module_gather *job = mem_alloc(sizeof *job);
        job->module = (uint32_t)ahead->jobs.n;
        job->wish = ahead->wish;
        *vec_push(&ahead->jobs) = job;
    }
    for (size_t i = 0; i < ahead->jobs.n; i++)
        ahead->jobs.at[i]->wish.lines = ahead->wish.lines;
}

void gather_ahead_tell(struct gather_ahead *ahead, const struct profile *profile,
                       const struct places *places, unsigned lines)
{
    pthread_mutex_lock(&ahead->lock);
    if (!ahead->works) {
        ahead->wish.lines = ahead->wish.lines ? lines : 0;
        modules_copy(ahead, profile);
        places_release(&ahead->places);
        places_copy(&ahead->places, places);
        ahead->works = true;
        pthread_cond_signal(&ahead->told);
    }
    pthread_mutex_unlock(&ahead->lock);
}

uint64_t gather_ahead_ns(const struct gather_ahead *ahead)
{
    return ahead->ended ? ahead->used_ns : clock_ns(ahead->clock);
}

void gather_ahead_stop(struct gather_ahead *ahead)
{
    struct sched_param own;
    int policy;
    if (ahead->ended)
        return;
    if (pthread_getschedparam(pthread_self(), &policy, &own) == 0)
        pthread_setschedparam(ahead->thread, policy, &own);
    pthread_mutex_lock(&ahead->lock);
    atomic_store(&ahead->stops, true);
    pthread_cond_signal(&ahead->told);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    ahead->ended = true;
}

struct module_gather *gather_ahead_take(struct gather_ahead *ahead, uint32_t module)
{
    struct module_gather *job = module < ahead->jobs.n ? ahead->jobs.at[module] : NULL;
    if (job)
        ahead->jobs.at[module] = NULL;
    return job;
}

void gather_ahead_release(struct gather_ahead *ahead)
{
    gather_ahead_stop(ahead);
    for (size_t i = 0; i < ahead->jobs.n; i++)
        if (ahead->jobs.at[i]) {
            module_gather_release(ahead->jobs.at[i]);
            mem_free(ahead->jobs.at[i]);
        }
    vec_release(&ahead->jobs);
    places_release(&ahead->places);
    profile_release(&ahead->profile);
    pthread_cond_destroy(&ahead->told);
    pthread_mutex_destroy(&ahead->lock);
    mem_free(ahead);
}
