#include "keep/gather.h"

#include "base/parallel.h"
#include "keep/gather_lines.h"
#include "keep/kept_module.h"
#include "keep/module_open.h"
#include "keep/references.h"
#include "paths/arrivals.h"
#include "profile/places.h"
#include "profile/profile.h"
#include "program/binary.h"

#include <stdlib.h>
#include <sys/stat.h>

/* A value that is an address shows the string that is there. */
enum { STRING_BYTES = 64 };
/* Most code of a module without names that is swept while somebody waits: some 2 ms. */
enum { SWEEP_BYTES = 1 << 18 };

/* Of a function that was only on the way to others: name, lines, and the code around its calls.
 * Views show no instructions of it, and it may be large. */
enum want { WANT_NONE, WANT_LINES, WANT_ALL };
enum { AROUND_BYTES = 16 };

/* One module; several are read at once. */
struct job {
    const struct profile *profile;
    const struct places *places;
    uint32_t module;
    enum gather_depth depth;
    uint64_t file_bytes;
    struct binary *binary;
    struct intervals data;
    struct keep_result gathered;
    struct bytes bytes; /* scratch */

    /* Functions by one set of symbols. */
    const struct image *image;
    const struct symbols *symbols;
    enum kept_kind kind;
    uint8_t *wanted; /* by function: enum want */
    bool *named;     /* likewise: its name */
    struct path_arrivals arrivals;
};

static void part_add(struct job *job, enum kept_kind kind, uint64_t at)
{
    const struct kept_part part = {
        .module = job->module, .kind = kind, .at = at, .n = job->bytes.n, .bytes = job->bytes.at};
    if (part.n <= KEPT_BYTES_MAX)
        kept_add(&job->gathered.kept, &job->gathered.arena, &part);
}

/* ---- which functions */

static bool want(struct job *job, function_id function, enum want how)
{
    if (job->wanted[function] < how)
        job->wanted[function] = (uint8_t)how;
    return true;
}

/* Marks are steps of 16 bytes: a function that only shares one is kept without need. */
static void functions_want(struct job *job)
{
    const struct symbols *symbols = job->symbols;
    struct references *references = mem_alloc(sizeof *references);
    references->image = job->image;
    references->symbols = symbols;
    references->named = job->named;
    references->data = &job->data;
    references_init(references);
    uint64_t at = 0;
    size_t range = 0;
    enum place_seen kind;
    while (places_next(job->places, job->module, &at, &kind)) {
        bool all = kind == PLACE_RAN || job->depth == GATHER_ALL;
        uint64_t end = at + (1 << PLACE_BITS);
        while (range < symbols->ranges.n &&
               symbols->ranges.at[range].start.v + symbols->ranges.at[range].bytes <= at)
            range++;
        bool code = false;
        for (size_t i = range; i < symbols->ranges.n && symbols->ranges.at[i].start.v < end; i++)
            code = want(job, symbols->ranges.at[i].function, all ? WANT_ALL : WANT_LINES);
        if (!code)
            interval_add(references, at, STRING_BYTES);
        else if (!all)
            interval_add(references, at - AROUND_BYTES, 3 * AROUND_BYTES);
        if (end < at)
            break;
        at = end;
    }
    for (function_id f = 0; f < symbols->functions.n; f++)
        if (job->wanted[f] == WANT_ALL)
            references_find(references, f);
    mem_free(references);
}

/* ---- what of them */

static void ranges_take(struct job *job, struct kept_function *kept,
                        const struct function *function)
{
    const struct code_ranges *ranges = &job->symbols->ranges;
    for (uint32_t r = function->first_range; r != RANGE_NONE; r = ranges->at[r].next) {
        size_t room = 0;
        const uint8_t *code = image_bytes(job->image, ranges->at[r].start, &room);
        *vec_push(&kept->ranges) =
            (struct kept_range){ranges->at[r].start.v, ranges->at[r].bytes, code};
        kept->has_code &= code && room >= ranges->at[r].bytes;
    }
}

static void arrivals_take(struct job *job, struct kept_function *kept, function_id f)
{
    struct path_arrivals own = {0};
    path_arrivals_pick(&job->arrivals, job->symbols, f, &own);
    for (size_t i = 0; i < own.n; i++)
        *vec_push(&kept->arrivals) = own.at[i].v;
    vec_release(&own);
}

static void functions_take(struct job *job)
{
    struct kept_function kept = {0};
    struct line_gathering lines = {0};
    const struct symbols *symbols = job->symbols;
    bool has_lines = job->kind == KEPT_FUNCTION &&
                     line_gathering_open(&lines, job->binary, job->depth == GATHER_ALL);
    job->gathered.without_lines += lines.too_long;
    for (function_id f = 0; f < symbols->functions.n; f++) {
        if (!job->wanted[f] && !job->named[f])
            continue;
        const struct function *function = &symbols->functions.at[f];
        kept_function_clear(&kept);
        kept.start = function->start.v;
        kept.name = function->name;
        kept.source = function->source;
        kept.has_code = job->wanted[f] == WANT_ALL;
        ranges_take(job, &kept, function);
        if (kept.has_code)
            arrivals_take(job, &kept, f);
        if (job->wanted[f] && has_lines)
            line_gathering_take(&lines, &kept);
        kept_function_encode(&kept, &job->bytes);
        part_add(job, job->kind, kept.start);
    }
    line_gathering_close(&lines);
    kept_function_release(&kept);
}

static void data_take(struct job *job)
{
    intervals_settle(&job->data);
    for (size_t i = 0; i < job->data.n; i++) {
        size_t room;
        struct kept_data data = {.start = job->data.at[i].start,
                                 .n = job->data.at[i].end - job->data.at[i].start};
        data.bytes = image_bytes(&job->binary->image, (struct svma){data.start}, &room);
        if (!data.bytes || room < data.n)
            continue;
        kept_data_encode(&data, &job->binary->symbols.evidence, &job->bytes);
        part_add(job, KEPT_DATA, data.start);
    }
}

static void head_take(struct job *job)
{
    struct kept_module head;
    kept_module_read(&head, &job->binary->image, &job->binary->symbols);
    kept_module_encode(&head, &job->bytes);
    part_add(job, KEPT_MODULE, 0);
    kept_module_release(&head);
}

/* ---- all */

static bool has_paths(const struct profile *profile)
{
    return profile->mode != PROFILE_PLAIN; /* a growing one does not know its rows yet */
}

/* Branches from functions that did not run are found by a sweep over all code, which takes long
 * unless the symbols needed it, too. Where all functions have names, only code that somebody wrote
 * in assembly has such branches. */
static void arrivals_find(struct job *job)
{
    if (!has_paths(job->profile))
        return;
    if (job->depth == GATHER_ALL || job->symbols->crossings.used) {
        path_arrivals_find(&job->arrivals, job->image, job->symbols);
    } else {
        path_arrivals_stated(&job->arrivals, job->image, job->symbols);
        path_arrivals_settle(&job->arrivals);
    }
}

static void functions_gather(struct job *job, enum kept_kind kind, const struct image *image,
                             const struct symbols *symbols)
{
    size_t n = symbols->functions.n + 1;
    job->kind = kind;
    job->image = image;
    job->symbols = symbols;
    job->wanted = mem_alloc(n * sizeof *job->wanted);
    job->named = mem_alloc(n * sizeof *job->named);
    functions_want(job);
    arrivals_find(job);
    functions_take(job);
    mem_free(job->wanted);
    mem_free(job->named);
    vec_release(&job->arrivals);
}

/* As if there were no debug file. */
static void own_gather(struct job *job)
{
    struct image own = job->binary->image;
    struct symbols symbols;
    own.debug = (struct elf_file){0};
    symbols_build(&symbols, &own);
    functions_gather(job, KEPT_OWN, &own, &symbols);
    symbols_release(&symbols);
}

/* Of a module that only lay there: where it lay. */
static void idle_gather(struct job *job)
{
    struct binary binary = {0};
    job->binary = &binary;
    if (!module_image_open(&binary.image, job->profile, job->module))
        return;
    if (!binary.image.known)
        head_take(job);
    binary_close(&binary);
}

/* A sweep over the code of cc1 takes 80 ms: as long as it compiles a small file. Split parts of
 * functions without names are then kept as functions. */
static size_t sweep_bytes(const struct job *job)
{
    return job->depth == GATHER_ALL ? SIZE_MAX : SWEEP_BYTES;
}

static void module_gather(void *context, size_t i, unsigned worker)
{
    struct job *job = &((struct job *)context)[i];
    struct binary binary;
    struct arena arena = {0};
    const char *missing;
    uint64_t first = 0;
    enum place_seen kind;
    (void)worker;
    if (!places_next(job->places, job->module, &first, &kind)) {
        idle_gather(job);
    } else if (module_file_open(&binary, job->profile, job->module, sweep_bytes(job), &arena,
                                &missing)) {
        job->binary = &binary;
        head_take(job);
        functions_gather(job, KEPT_FUNCTION, &binary.image, &binary.symbols);
        if (job->depth == GATHER_ALL && binary.image.debug.elf && has_paths(job->profile))
            own_gather(job);
        data_take(job);
        binary_close(&binary);
    }
    vec_release(&job->data);
    vec_release(&job->bytes);
    arena_release(&arena);
}

/* The largest file first, so that at the end no thread is left with one while others wait. */
static int job_order(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
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
            const struct places *places, enum gather_depth depth)
{
    size_t n = profile->modules.n;
    struct job *jobs = mem_alloc((n + 1) * sizeof *jobs);
    *gathered = (struct keep_result){0};
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct job){.profile = profile,
                               .places = places,
                               .module = (uint32_t)i,
                               .depth = depth,
                               .file_bytes = file_bytes(profile->modules.at[i].path)};
    if (n)
        qsort(jobs, n, sizeof *jobs, job_order);
    parallel_for(n, module_gather, jobs);
    for (size_t i = 0; i < n; i++) {
        const struct kept_parts *own = &jobs[i].gathered.kept;
        for (size_t k = 0; k < own->n; k++)
            kept_add(&gathered->kept, &gathered->arena, &own->at[k]);
        gathered->without_lines += jobs[i].gathered.without_lines;
        keep_result_release(&jobs[i].gathered);
    }
    kept_sort(&gathered->kept);
    mem_free(jobs);
}

void keep_result_release(struct keep_result *gathered)
{
    vec_release(&gathered->kept);
    arena_release(&gathered->arena);
}
