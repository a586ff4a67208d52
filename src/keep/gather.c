#include "keep/gather.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "keep/gather_ahead.h"
#include "keep/gather_module.h"
#include "profile/places.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <sys/stat.h>

struct gather_jobs {
    const struct profile *profile;
    const struct places *places;
    struct module_gather **at;
    uint64_t most_ns; /* 0: no limit */
    _Atomic uint64_t used_ns;
    _Atomic size_t left_out;
};

/* Several modules are read at once. */
static void job_run(void *context, size_t i, unsigned worker)
{
    struct gather_jobs *jobs = context;
    (void)worker;
    if (jobs->most_ns && jobs->used_ns >= jobs->most_ns) {
        jobs->left_out += jobs->at[i]->places != 0;
        return;
    }
    uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    module_gather_all(jobs->at[i], jobs->profile, jobs->places);
    jobs->used_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

static size_t places_of(const struct places *places, uint32_t module)
{
    size_t n = 0;
    uint64_t at = 0;
    enum place_seen kind;
    while (places_next(places, module, &at, &kind)) {
        n++;
        at += 1 << PLACE_BITS;
    }
    return n;
}

/* The most places first, if some may be left out; else the largest file, so that at the end no
 * thread is left with one while others wait. */
static int job_order(const void *a, const void *b)
{
    const struct module_gather *x = *(struct module_gather *const *)a,
                               *y = *(struct module_gather *const *)b;
    if (x->places != y->places)
        return x->places > y->places ? -1 : 1;
    if (x->file_bytes != y->file_bytes)
        return x->file_bytes > y->file_bytes ? -1 : 1;
    return x->module < y->module ? -1 : 1;
}

static uint64_t file_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

void gather(struct keep_result *gathered, const struct profile *profile,
            const struct places *places, struct gather_wish wish, struct gather_ahead *ahead)
{
    size_t n = profile->modules.n;
    struct gather_jobs jobs = {.profile = profile,
                               .places = places,
                               .at = mem_alloc((n + 1) * sizeof *jobs.at),
                               .most_ns = wish.cpu_ns};
    *gathered = (struct keep_result){0};
    for (size_t i = 0; i < n; i++) {
        struct module_gather *job = ahead ? gather_ahead_take(ahead, (uint32_t)i) : NULL;
        if (!job) {
            job = mem_alloc(sizeof *job);
            job->module = (uint32_t)i;
            job->wish = wish;
        }
        job->wish.lines = wish.lines;
        job->file_bytes = file_bytes(profile->modules.at[i].path);
        job->places = wish.cpu_ns ? places_of(places, (uint32_t)i) : 0;
        jobs.at[i] = job;
    }
    if (n)
        qsort(jobs.at, n, sizeof(struct module_gather *), job_order);
    parallel_for(n, job_run, &jobs);
    for (size_t i = 0; i < n; i++) {
        struct keep_result *own = &jobs.at[i]->gathered;
        kept_join(&gathered->kept, &gathered->arena, &own->kept, &own->arena);
        gathered->without_lines += own->without_lines;
        gathered->anew |= jobs.at[i]->again;
        module_gather_release(jobs.at[i]);
        mem_free(jobs.at[i]);
    }
    gathered->left_out = jobs.left_out;
    for (size_t i = 0; gathered->anew && i < gathered->kept.n; i++)
        gathered->kept.at[i].packed = false;
    kept_sort(&gathered->kept);
    mem_free(jobs.at);
}

void keep_result_release(struct keep_result *gathered)
{
    vec_release(&gathered->kept);
    arena_release(&gathered->arena);
}
