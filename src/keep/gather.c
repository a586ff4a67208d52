#include "keep/gather.h"

#include "base/parallel.h"
#include "keep/gather_ahead.h"
#include "keep/gather_module.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <sys/stat.h>

struct gather_jobs {
    const struct profile *profile;
    const struct places *places;
    struct module_gather **at;
};

/* Several modules are read at once. */
static void job_run(void *context, size_t i, unsigned worker)
{
    const struct gather_jobs *jobs = context;
    (void)worker;
    module_gather_all(jobs->at[i], jobs->profile, jobs->places);
}

/* The largest file first, so that at the end no thread is left with one while others wait. */
static int job_order(const void *a, const void *b)
{
    const struct module_gather *x = *(struct module_gather *const *)a,
                               *y = *(struct module_gather *const *)b;
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
    struct gather_jobs jobs = {profile, places, mem_alloc((n + 1) * sizeof *jobs.at)};
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
