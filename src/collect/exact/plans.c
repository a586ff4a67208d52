#include "collect/exact/plans.h"

#include "base/err.h"
#include "collect/channel/banks.h"
#include "collect/channel/share.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

static bool action_find(const char *name, struct wire_plan *operation)
{
    static const struct {
        const char *name;
        uint8_t action, bits;
    } known[] = {
        {"set", PLAN_SET, 0},        {"add", PLAN_ADD, 0},         {"count0", PLAN_COUNT, 0},
        {"count5", PLAN_COUNT, 5},   {"count8", PLAN_COUNT, 8},    {"count13", PLAN_COUNT, 13},
        {"count16", PLAN_COUNT, 16}, {"path", PLAN_COUNT_PATH, 0}, {"keep", PLAN_KEEP, 0},
        {"back", PLAN_BACK, 0},      {"nothing", PLAN_NOTHING, 0},
    };
    size_t length = strlen(name);
    if (length && name[length - 1] == '+') {
        operation->flags = PLAN_TICKS;
        length--;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && !strncmp(name, known[i].name, length)) {
            operation->action = known[i].action;
            operation->bits = known[i].bits;
            return true;
        }
    return false;
}

static uint64_t counters_end(const struct wire_plan *operation)
{
    uint64_t each = operation->flags & PLAN_TICKS ? 2 : 1;
    return operation->action == PLAN_COUNT ? operation->counter + (each << operation->bits) : 0;
}

static bool line_read(struct plans *plans, const char *text, uint32_t number)
{
    char module[256], action[16];
    struct plan_line line = {.line = number};
    struct wire_plan *operation = &line.operation;
    if (sscanf(text, "%255s %" SCNx64 " %" SCNx64 " %15s %" SCNu32 " %" SCNd64, module,
               &operation->from, &operation->to, action, &operation->counter,
               &operation->value) != 6 ||
        !action_find(action, operation))
        return false;
    uint64_t end = counters_end(operation);
    if (end > PLANS_COUNTERS_MAX || (end && !operation->counter))
        return false;
    if (end > plans->counters + UINT64_C(1))
        plans->counters = (uint32_t)end - 1;
    line.module = arena_format(&plans->arena, "%s", module);
    *vec_push(&plans->lines) = line;
    return true;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
    const struct plan_line *x = a, *y = b;
    int order = strcmp(x->module, y->module);
    order = order ? order : compare_u64(x->operation.from, y->operation.from);
    order = order ? order : compare_u64(x->operation.to, y->operation.to);
    return order ? order : compare_u64(x->line, y->line);
}

bool plans_open(struct plans *plans, const char *path, struct err *err)
{
    *plans = (struct plans){0};
    FILE *file = fopen(path, "re");
    if (!file)
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    char text[1024];
    uint32_t number = 0;
    bool good = true;
    while (good && fgets(text, sizeof text, file))
        good = line_read(plans, text, ++number);
    fclose(file);
    plans->counters += plans->counters == 0; /* none: there is no plan, as far as processes know */
    if (!good || !plans->lines.n) {
        plans_release(plans);
        return err_set(err, ERR_USAGE, "%s: line %u: not an operation of a plan", path, number);
    }
    qsort(plans->lines.at, plans->lines.n, sizeof *plans->lines.at, by_place);
    while (plans->counts.n <= plans->counters)
        *vec_push(&plans->counts) = 0;
    return true;
}

void plans_release(struct plans *plans)
{
    vec_release(&plans->lines);
    vec_release(&plans->counts);
    vec_release(&plans->paths);
    if (plans->library)
        share_unmap_library(plans->library);
    arena_release(&plans->arena);
    *plans = (struct plans){0};
}

/* ---- answering */

bool plans_share(struct plans *plans, const struct share *share, struct err *err)
{
    struct wire_plan *operations = plans->library = share_map_library(share);
    if (!operations || plans->lines.n > PLAN_LIBRARY_BYTES / sizeof *operations)
        return err_set(err, ERR_SYSTEM, "no room for %zu operations of a plan", plans->lines.n);
    for (size_t i = 0; i < plans->lines.n; i++)
        operations[i] = plans->lines.at[i].operation;
    return true;
}

static unsigned char *section(struct channel *channel)
{
    return (unsigned char *)channel + CHANNEL_PLANS_AT;
}

void plans_map(const struct plans *plans, struct channel *channel, const struct wire_map *map,
               const char *path, uint64_t bias)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t first = 0, n = 0;
    while (first < plans->lines.n && strcmp(plans->lines.at[first].module, name))
        first++;
    while (first + n < plans->lines.n && !strcmp(plans->lines.at[first + n].module, name))
        n++;
    struct wire_plan_module module = {.bytes = sizeof module,
                                      .n = (uint32_t)n,
                                      .start = map->start,
                                      .end = map->end,
                                      .bias = bias,
                                      .operations = first * sizeof(struct wire_plan)};
    uint64_t at = channel->plans_bytes;
    if (!n || at > CHANNEL_PLANS_BYTES || sizeof module > CHANNEL_PLANS_BYTES - at)
        return;
    memcpy(section(channel) + at, &module, sizeof module);
    __atomic_store_n(&channel->plans_bytes, at + sizeof module, __ATOMIC_RELEASE);
}

void plans_answer(struct channel *channel, uint64_t maps_bytes)
{
    __atomic_store_n(&channel->plans_for, maps_bytes, __ATOMIC_RELEASE);
}

/* ---- what they came to */

void plans_take(struct plans *plans, struct banks *banks, const struct unit_paths *known)
{
    banks_read_paths(banks, known);
    for (size_t i = 1; i <= plans->counters && i < banks->sum.n; i++)
        plans->counts.at[i] += banks->sum.at[i];
    for (size_t i = 0; i < banks->paths.n; i++)
        *vec_push(&plans->paths) = banks->paths.at[i];
}

bool plans_dump(const struct plans *plans, const char *path, struct err *err)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    for (size_t i = 1; i <= plans->counters; i++)
        if (plans->counts.at[i])
            fprintf(file, "%zu %" PRIu64 "\n", i, plans->counts.at[i]);
    for (size_t i = 0; i < plans->paths.n; i++)
        fprintf(file, "path %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                plans->paths.at[i].function, plans->paths.at[i].path, plans->paths.at[i].count,
                plans->paths.at[i].ticks);
    bool whole = !ferror(file);
    whole = fclose(file) == 0 && whole;
    return whole || err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
}
