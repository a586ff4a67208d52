#include "analysis/report/timeline.h"

#include "analysis/counts/code_owner.h"
#include "analysis/report/plain.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

/* What is known of the nodes of profile->times while they are added up. */
struct adding {
    struct timeline *timeline;
    const struct profile *profile;
    const struct stacks *times;
    uint32_t pid, tid;
    uint32_t *root_of;             /* of each node: its thread's */
    struct map slice_keys;         /* uint64_t: where it begins */
    struct map thread_keys;        /* uint64_t: stack_thread */
    struct map function_keys;      /* uint64_t[3]: module, function, start */
    double user_unit, kernel_unit; /* of a weight: seconds */
};

static int begin_order(const void *a, const void *b)
{
    const struct time_slice *x = a, *y = b;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* The recording begins inside of its first slice. */
static uint64_t since(uint64_t unix_ns, uint64_t start)
{
    return unix_ns > start ? unix_ns - start : 0;
}

static void slices_find(struct adding *adding)
{
    struct time_slices *slices = &adding->timeline->slices;
    uint64_t start = times_start(adding->profile);
    for (uint32_t i = 0; i < adding->times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&adding->times->cells, i);
        uint64_t slice = stacks_key(adding->times, cell->node).address;
        uint64_t begin = slice_begin_ns(slice);
        uint32_t known = adding->slice_keys.n;
        if (map_add(&adding->slice_keys, &begin) == known)
            *vec_push(slices) = (struct time_slice){.begin_ns = since(begin, start),
                                                    .end_ns = since(slice_end_ns(slice), start)};
    }
    qsort(slices->at, slices->n, sizeof *slices->at, begin_order);
}

/* The place of a slice among all; they are few. */
static size_t slice_find(const struct adding *adding, uint64_t begin_ns)
{
    const struct time_slices *slices = &adding->timeline->slices;
    size_t low = 0, high = slices->n;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (slices->at[middle].begin_ns <= begin_ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double *series_new(struct timeline *timeline)
{
    return arena_alloc(&timeline->arena, timeline->slices.n * sizeof(double));
}

static const char *name_of(const struct profile *profile, uint32_t pid, uint32_t tid)
{
    const char *name = threads_name(&profile->threads, pid, tid);
    return name ? name : "thread";
}

static struct time_thread *thread_of(struct adding *adding, uint32_t node)
{
    struct timeline *timeline = adding->timeline;
    uint64_t thread = stacks_key(adding->times, adding->root_of[node]).address;
    uint32_t i = map_add(&adding->thread_keys, &thread);
    if (i == timeline->threads.n) {
        uint32_t pid = (uint32_t)(thread >> 32), tid = (uint32_t)thread;
        *vec_push(&timeline->threads) =
            (struct time_thread){.pid = pid,
                                 .tid = tid,
                                 .name = name_of(adding->profile, pid, tid),
                                 .user = series_new(timeline),
                                 .kernel = series_new(timeline)};
    }
    return &timeline->threads.at[i];
}

/* NULL: only the thread is known. */
static struct time_function *function_of(struct adding *adding, uint32_t node)
{
    struct timeline *timeline = adding->timeline;
    struct stack_key key = stacks_key(adding->times, node);
    if (key.module == MODULE_NONE)
        return NULL;
    struct code_owner owner = code_owner_find(timeline->scene, 0, key.module, key.address);
    uint64_t wanted[3] = {owner.module, owner.function, owner.start};
    uint32_t i = map_add(&adding->function_keys, wanted);
    if (i == timeline->functions.n)
        *vec_push(&timeline->functions) =
            (struct time_function){.module = owner.module,
                                   .start = owner.start,
                                   .linkage = owner.linkage,
                                   .kernel = profile_module_is_kernel(adding->profile, key.module),
                                   .time = series_new(timeline)};
    return &timeline->functions.at[i];
}

static void cells_add(struct adding *adding)
{
    struct timeline *timeline = adding->timeline;
    uint64_t start = times_start(adding->profile);
    for (uint32_t i = 0; i < adding->times->cells.n; i++) {
        const struct stack_cell *cell = map_key(&adding->times->cells, i);
        struct stack_key slice = stacks_key(adding->times, cell->node);
        uint64_t thread = stacks_key(adding->times, adding->root_of[cell->node]).address;
        if ((adding->pid && adding->pid != thread >> 32) ||
            (adding->tid && adding->tid != (uint32_t)thread))
            continue;
        size_t at = slice_find(adding, since(slice_begin_ns(slice.address), start));
        bool kernel = profile_module_is_kernel(adding->profile,
                                               stacks_key(adding->times, slice.parent).module);
        double time = (double)adding->times->weights.at[i] *
                      (kernel ? adding->kernel_unit : adding->user_unit);
        struct time_thread *of = thread_of(adding, cell->node);
        struct time_function *function = function_of(adding, slice.parent);
        *(kernel ? &timeline->slices.at[at].kernel : &timeline->slices.at[at].user) += time;
        (kernel ? of->kernel : of->user)[at] += time;
        of->all += time;
        if (function) {
            function->time[at] += time;
            function->all += time;
        }
    }
}

static int thread_order(const void *a, const void *b)
{
    const struct time_thread *x = a, *y = b;
    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int function_order(const void *a, const void *b)
{
    const struct time_function *x = a, *y = b;
    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    int order = strcmp(x->linkage, y->linkage);
    return order ? order : x->start < y->start ? -1 : x->start > y->start;
}

/* Weights add up to the CPU time that the kernel counted, as in other views. */
static void units_find(struct adding *adding)
{
    const struct stacks *stacks = &adding->profile->stacks;
    const struct totals *totals = &adding->profile->totals;
    double user = 0, kernel = 0;
    adding->user_unit = adding->kernel_unit = adding->timeline->events ? 1 : 1e-9;
    if (adding->timeline->events || profile_fact_find(adding->profile, "weights"))
        return;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        bool in_kernel =
            profile_module_is_kernel(adding->profile, stacks_key(stacks, cell->node).module);
        *(in_kernel ? &kernel : &user) += (double)stacks->weights.at[i];
    }
    if (user > 0 && totals->user_ns)
        adding->user_unit = (double)totals->user_ns / 1e9 / user;
    if (kernel > 0 && totals->kernel_ns)
        adding->kernel_unit = (double)totals->kernel_ns / 1e9 / kernel;
}

static void adding_begin(struct adding *adding)
{
    uint32_t n = adding->times->nodes.n;
    adding->root_of = mem_alloc((n + (size_t)1) * sizeof *adding->root_of);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = stacks_key(adding->times, i).parent;
        adding->root_of[i] = parent == STACK_NONE ? i : adding->root_of[parent];
    }
    map_init(&adding->slice_keys, sizeof(uint64_t));
    map_init(&adding->thread_keys, sizeof(uint64_t));
    map_init(&adding->function_keys, 3 * sizeof(uint64_t));
}

static void adding_end(struct adding *adding)
{
    mem_free(adding->root_of);
    map_release(&adding->slice_keys);
    map_release(&adding->thread_keys);
    map_release(&adding->function_keys);
}

bool timeline_make(struct timeline *timeline, struct scene *scene, uint32_t pid, uint32_t tid,
                   struct err *err)
{
    const struct profile *profile = scene->sides[0];
    struct adding adding = {
        .timeline = timeline, .profile = profile, .times = &profile->times, .pid = pid, .tid = tid};
    *timeline = (struct timeline){.scene = scene, .events = plain_counts_events(profile)};
    if (!times_known(profile, err))
        return false;
    adding_begin(&adding);
    units_find(&adding);
    slices_find(&adding);
    cells_add(&adding);
    adding_end(&adding);
    if (!timeline->threads.n) {
        timeline_release(timeline);
        return err_set(err, ERR_MISSING, "no such thread; gait report --by thread lists them");
    }
    qsort(timeline->threads.at, timeline->threads.n, sizeof *timeline->threads.at, thread_order);
    if (timeline->functions.n)
        qsort(timeline->functions.at, timeline->functions.n, sizeof *timeline->functions.at,
              function_order);
    return true;
}

void timeline_release(struct timeline *timeline)
{
    vec_release(&timeline->slices);
    vec_release(&timeline->threads);
    vec_release(&timeline->functions);
    arena_release(&timeline->arena);
}
