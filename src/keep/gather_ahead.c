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
    struct numbering in_file;
    uint64_t pack_ns, packed_ns; /* what packing may still take; what it has taken */
    struct kept_packs packs;
    struct jobs {
        VEC(struct module_gather *); /* by module */
    } jobs;
};

/* ---- the thread */

/* Lines of code that was packed without them were found: it is packed anew, some time. */
static void packs_forget(struct gather_ahead *ahead)
{
    bool again = false;
    for (size_t i = 0; i < ahead->jobs.n; i++) {
        again |= ahead->jobs.at[i]->again;
        ahead->jobs.at[i]->again = false;
    }
    for (size_t i = 0; again && i < ahead->jobs.n; i++) {
        struct kept_parts *parts = &ahead->jobs.at[i]->gathered.kept;
        for (size_t p = 0; p < parts->n; p++)
            parts->at[p].packed = false;
    }
    if (again)
        kept_packs_release(&ahead->packs);
}

static uint64_t code_left(const struct gather_ahead *ahead)
{
    uint64_t code = 0;
    for (size_t i = 0; i < ahead->jobs.n; i++) {
        const struct kept_parts *parts = &ahead->jobs.at[i]->gathered.kept;
        for (size_t p = 0; p < parts->n; p++)
            code += parts->at[p].packed ? 0 : parts->at[p].code_n;
    }
    return code;
}

/* Each pack learns anew what code looks like, so there are few: once there is time for all that is
 * known, or for a large one. The end has a few milliseconds for the rest. */
static bool pack(struct gather_ahead *ahead)
{
    enum { LEAST_BYTES = 1 << 17, LARGE_BYTES = 1 << 20 };
    struct kept_picked picked = {0};
    uint64_t left = code_left(ahead), most = ahead->pack_ns / KEPT_BYTE_NS;
    if (left < LEAST_BYTES || most < (left < LARGE_BYTES ? left : LARGE_BYTES))
        return false;
    for (size_t i = 0; i < ahead->jobs.n; i++)
        kept_pick(&picked, &ahead->jobs.at[i]->gathered.kept, most, &ahead->in_file);
    bool any = picked.n;
    if (any)
        kept_pack_make(&ahead->packs, &picked, &ahead->in_file, &ahead->stops);
    vec_release(&picked);
    return any;
}

static void packs_make(struct gather_ahead *ahead)
{
    packs_forget(ahead);
    for (bool more = true; more && !atomic_load(&ahead->stops);) {
        uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        more = pack(ahead);
        uint64_t took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
        ahead->packed_ns += took;
        ahead->pack_ns -= took < ahead->pack_ns ? took : ahead->pack_ns;
    }
}

static void work(struct gather_ahead *ahead)
{
    for (size_t i = 0; i < ahead->jobs.n && !atomic_load(&ahead->stops); i++)
        module_gather_ahead(ahead->jobs.at[i], &ahead->profile, &ahead->places);
    packs_make(ahead);
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

static void numbers_copy(struct gather_ahead *ahead, const struct numbering *in_file)
{
    ahead->in_file.n = 0;
    for (size_t i = 0; i < in_file->n; i++)
        *vec_push(&ahead->in_file) = in_file->at[i];
}

/* Packing may take a share of the program's time, but for its first seconds: builds of a hundred
 * short processes do not pay for what long runs need. */
void gather_ahead_tell(struct gather_ahead *ahead, const struct gather_news *news)
{
    const uint64_t free_ns = 3200000000, cpu_share = 64;
    uint64_t share = news->cpu_ns > free_ns ? (news->cpu_ns - free_ns) / cpu_share : 0;
    pthread_mutex_lock(&ahead->lock);
    if (!ahead->works) {
        ahead->wish.lines = ahead->wish.lines ? news->lines : 0;
        modules_copy(ahead, news->profile);
        numbers_copy(ahead, news->in_file);
        places_release(&ahead->places);
        places_copy(&ahead->places, news->places);
        ahead->pack_ns = share > ahead->packed_ns ? share - ahead->packed_ns : 0;
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

void gather_ahead_packs(struct gather_ahead *ahead, struct kept_packs *ret_packs)
{
    *ret_packs = ahead->packs;
    ahead->packs = (struct kept_packs){0};
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
    vec_release(&ahead->in_file);
    kept_packs_release(&ahead->packs);
    places_release(&ahead->places);
    profile_release(&ahead->profile);
    pthread_cond_destroy(&ahead->told);
    pthread_mutex_destroy(&ahead->lock);
    mem_free(ahead);
}
