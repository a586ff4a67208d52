#include "collect/doctor/catalog.h"

#include "base/err.h"
#include "collect/perf/perf_names.h"
#include "collect/doctor/tries.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As record would: with interrupts, of user mode where that can be told apart. */
static struct attempt_outcome open_event(const struct perf_event_name *event, int cpu)
{
    struct perf_event_attr attr = {.type = event->type,
                                   .size = sizeof attr,
                                   .config = event->config,
                                   .config1 = event->config1,
                                   .config2 = event->config2,
                                   .sample_period = 1000003,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    struct attempt_outcome outcome = try_event(&attr, cpu);
    if (outcome.result != ATTEMPT_REFUSED || outcome.why != EINVAL)
        return outcome;
    attr.exclude_kernel = attr.exclude_hv = 0;
    return try_event(&attr, cpu);
}

/* cpu: -1, or the processor on which it is read. */
static void add(struct catalog *catalog, const char *name, const char *source, int cpu)
{
    struct perf_event_name event;
    struct err err;
    struct attempt_outcome outcome = {.result = ATTEMPT_REFUSED, .why = EINVAL};
    if (perf_name_parse(name, &event, &err))
        outcome = open_event(&event, cpu);
    *vec_push(catalog) = (struct catalog_event){.name = arena_string(&catalog->arena, name),
                                                .source = source,
                                                .outcome = outcome,
                                                .everybody = cpu >= 0};
}

static void add_known(struct catalog *catalog)
{
    const char *name;
    for (size_t i = 0; (name = perf_name_known(i)); i++) {
        struct perf_event_name event;
        struct err err;
        if (perf_name_parse(name, &event, &err))
            add(catalog, name, event.type == PERF_TYPE_SOFTWARE ? "software" : "hardware", -1);
    }
}

/* Instructions are not stored, and neither translations of theirs nor branches are prefetched. */
static void add_caches(struct catalog *catalog)
{
    enum { LOADS = 1, STORES = 2, PREFETCHES = 4, ALL = 7 };
    static const struct {
        const char *name;
        unsigned kinds;
    } caches[] = {{"L1-dcache", ALL}, {"L1-icache", LOADS | PREFETCHES},
                  {"LLC", ALL},       {"dTLB", ALL},
                  {"iTLB", LOADS},    {"branch", LOADS},
                  {"node", ALL}};
    static const char *const kinds[] = {"loads",        "load-misses", "stores",
                                        "store-misses", "prefetches",  "prefetch-misses"};
    for (size_t c = 0; c < sizeof caches / sizeof *caches; c++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (caches[c].kinds >> k / 2 & 1)
                add(catalog, arena_format(&catalog->arena, "%s-%s", caches[c].name, kinds[k]),
                    "cache", -1);
}

/* ---- folders of the kernel */

struct names {
    VEC(const char *);
};

static int name_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in a folder but for hidden ones, sorted; false with errno. */
static bool names_read(struct names *names, struct arena *arena, const char *path)
{
    *names = (struct names){0};
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (*entry->d_name != '.')
            *vec_push(names) = arena_string(arena, entry->d_name);
    closedir(folder);
    if (names->n)
        qsort(names->at, names->n, sizeof *names->at, name_order);
    return true;
}

/* PMUs that count no single process say on which processors they are read. */
static int pmu_cpu(struct arena *arena, const char *folder)
{
    FILE *file = fopen(arena_format(arena, "%s/cpumask", folder), "re");
    int cpu = -1;
    if (file) {
        if (fscanf(file, "%d", &cpu) != 1 || cpu < 0)
            cpu = 0;
        fclose(file);
    }
    return cpu;
}

static void add_pmu(struct catalog *catalog, const char *devices, const char *pmu)
{
    struct arena *arena = &catalog->arena;
    const char *folder = arena_format(arena, "%s/%s", devices, pmu);
    int cpu = pmu_cpu(arena, folder);
    struct names events;
    if (!names_read(&events, arena, arena_format(arena, "%s/events", folder)))
        return;
    for (size_t i = 0; i < events.n; i++)
        if (!strchr(events.at[i], '.')) /* NAME.unit and NAME.scale tell of NAME */
            add(catalog, arena_format(arena, "%s/%s/", pmu, events.at[i]), pmu, cpu);
    vec_release(&events);
}

static void add_pmus(struct catalog *catalog, const char *root)
{
    const char *devices = arena_format(&catalog->arena, "%s/sys/bus/event_source/devices", root);
    struct names pmus;
    if (!names_read(&pmus, &catalog->arena, devices))
        return;
    for (size_t i = 0; i < pmus.n; i++)
        add_pmu(catalog, devices, pmus.at[i]);
    vec_release(&pmus);
}

static void count_tracepoints(struct catalog *catalog, const char *root)
{
    static const char *const places[] = {"/sys/kernel/tracing/events",
                                         "/sys/kernel/debug/tracing/events"};
    struct arena *arena = &catalog->arena;
    struct names systems, points;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        catalog->tracepoints_at = arena_format(arena, "%s%s", root, places[p]);
        if (!names_read(&systems, arena, catalog->tracepoints_at)) {
            catalog->tracepoints_errno = errno;
            continue;
        }
        catalog->tracepoints_errno = 0;
        for (size_t i = 0; i < systems.n; i++) {
            const char *folder =
                arena_format(arena, "%s/%s", catalog->tracepoints_at, systems.at[i]);
            if (!names_read(&points, arena, folder))
                continue;
            for (size_t k = 0; k < points.n; k++)
                catalog->tracepoints +=
                    access(arena_format(arena, "%s/%s/id", folder, points.at[k]), F_OK) == 0;
            vec_release(&points);
        }
        vec_release(&systems);
        return;
    }
}

void catalog_make(struct catalog *catalog, const char *root)
{
    *catalog = (struct catalog){0};
    add_known(catalog);
    add_caches(catalog);
    add_pmus(catalog, root);
    count_tracepoints(catalog, root);
}

void catalog_release(struct catalog *catalog)
{
    vec_release(catalog);
    arena_release(&catalog->arena);
}
