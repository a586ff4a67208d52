#include "collect/plans.h"

#include "base/err.h"
#include "collect/banks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

static bool action_find(const char *name, uint32_t *ret)
{
    static const char *const names[PLAN_ACTIONS] = {
        [PLAN_SET] = "set",          [PLAN_ADD] = "add",   [PLAN_COUNT_8] = "count8",
        [PLAN_COUNT_16] = "count16", [PLAN_KEEP] = "keep", [PLAN_BACK] = "back"};
    for (uint32_t i = PLAN_SET; i < PLAN_ACTIONS; i++)
        if (!strcmp(name, names[i])) {
            *ret = i;
            return true;
        }
    return false;
}

static uint64_t counters_end(const struct wire_plan *operation)
{
    uint64_t n = operation->action == PLAN_COUNT_8    ? 1 << 8
                 : operation->action == PLAN_COUNT_16 ? 1 << 16
                                                      : 0;
    return n ? operation->counter + n : 0;
}

static bool line_read(struct plans *plans, const char *text, uint32_t number)
{
    char module[256], action[16];
    struct plan_line line = {.line = number};
    struct wire_plan *operation = &line.operation;
    if (sscanf(text, "%255s %" SCNx64 " %" SCNx64 " %15s %" SCNu32 " %" SCNd32, module,
               &operation->from, &operation->to, action, &operation->counter,
               &operation->value) != 6 ||
        !action_find(action, &operation->action))
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
    if (!good || !plans->lines.n || !plans->counters) {
        plans_release(plans);
        return err_set(err, ERR_USAGE, "%s: line %u: %s", path, number,
                       good ? "nothing is counted" : "not an operation of a plan");
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
    arena_release(&plans->arena);
    *plans = (struct plans){0};
}

/* ---- answering */

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
    struct wire_plan_module module = {
        .n = (uint32_t)n, .start = map->start, .end = map->end, .bias = bias};
    uint64_t bytes = sizeof module + n * sizeof(struct wire_plan), at = channel->plans_bytes;
    if (!n || at > CHANNEL_PLANS_BYTES || bytes > CHANNEL_PLANS_BYTES - at)
        return;
    module.bytes = (uint32_t)bytes;
    memcpy(section(channel) + at, &module, sizeof module);
    for (size_t i = 0; i < n; i++)
        memcpy(section(channel) + at + sizeof module + i * sizeof(struct wire_plan),
               &plans->lines.at[first + i].operation, sizeof(struct wire_plan));
    __atomic_store_n(&channel->plans_bytes, at + bytes, __ATOMIC_RELEASE);
}

void plans_answer(struct channel *channel, uint64_t maps_bytes)
{
    __atomic_store_n(&channel->plans_for, maps_bytes, __ATOMIC_RELEASE);
}

/* ---- what they came to */

void plans_take(struct plans *plans, const struct banks *banks)
{
    for (size_t i = 1; i <= plans->counters && i < banks->sum.n; i++)
        plans->counts.at[i] += banks->sum.at[i];
}

bool plans_dump(const struct plans *plans, const char *path, struct err *err)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    for (size_t i = 1; i <= plans->counters; i++)
        if (plans->counts.at[i])
            fprintf(file, "%zu %" PRIu64 "\n", i, plans->counts.at[i]);
    bool whole = !ferror(file);
    whole = fclose(file) == 0 && whole;
    return whole || err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
}
