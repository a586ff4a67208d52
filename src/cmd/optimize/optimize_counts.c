#include "cmd/optimize/optimize_counts.h"

#include "base/err.h"
#include "cmd/optimize/optimize.h"
#include "cmd/optimize/trial.h"
#include "profile/file/file.h"
#include "profile/profile.h"

#include <string.h>
#include <unistd.h>

/* Counting takes several times as long as the program: longer ones are only timed. */
static const double counted_below_s = 20;

static bool is_taken(enum edge_kind kind)
{
    switch (kind) {
    case EDGE_TAKEN:
    case EDGE_JUMP:
    case EDGE_CALL:
    case EDGE_IJUMP:
    case EDGE_ICALL:
    case EDGE_RETURN: return true;
    default: return false;
    }
}

static bool counts_read(const char *path, struct run_counts *ret)
{
    struct profile profile;
    struct err none;
    if (!profile_read(path, &profile, &none))
        return false;
    *ret = (struct run_counts){0};
    for (uint32_t i = 0; i < profile.ranges.n; i++) {
        const struct range_key *key = map_key(&profile.ranges.keys, i);
        ret->instructions += profile.ranges.at[i].count * key->instructions;
    }
    for (uint32_t i = 0; i < profile.edges.n; i++) {
        const struct edge_key *key = map_key(&profile.edges.keys, i);
        if (is_taken((enum edge_kind)key->kind))
            ret->taken += profile.edges.at[i].count;
    }
    profile_release(&profile);
    return ret->instructions && ret->taken;
}

static bool run_count(struct optimize *optimize, const char *path, int status,
                      struct run_counts *ret)
{
    struct arena *arena = &optimize->arena;
    path = strchr(path, '/') ? path : arena_format(arena, "./%s", path);
    const char *data = arena_format(arena, "%s/counts.data", optimize->folder);
    const char *own[] = {"record", "-q", "--exact=counts", "-o", data, "--", path, NULL};
    struct trial trial = {optimize->self, optimize_gait_words(optimize, own, optimize->argv + 1),
                          optimize->input, environ, false};
    struct trial_result result;
    struct err none;
    const char *output = arena_format(arena, "%s/counts.out", optimize->folder);
    unlink(data);
    return trial_run(&trial, output, arena_format(arena, "%s/counts.err", optimize->folder),
                     &result, &none) &&
           result.status == status && counts_read(data, ret);
}

bool run_counts_take(struct run_counts *ret_before, struct run_counts *ret_after,
                     struct optimize *optimize, const char *before, int status)
{
    if (optimize->alone >= counted_below_s)
        return false;
    optimize_phase(optimize, "counting what both execute", 0, 0);
    return run_count(optimize, before, status, ret_before) &&
           run_count(optimize, optimize->result, status, ret_after);
}
