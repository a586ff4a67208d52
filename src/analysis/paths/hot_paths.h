/* The paths of a profile: which blocks each goes through, how often, and what it cost.
 *
 * A path number means something only with the numbering that counted it. A function that now has
 * another number of paths is skipped and counted. A path weighs its ticks if they were measured,
 * else the instructions that ran along it. Dense paths take more ticks per instruction than all
 * paths together, sparse ones fewer (Ammons, Ball, Larus 1997, 6.4). */
#pragma once

#include "base/vec.h"
#include "analysis/counts/estimate.h"
#include "analysis/paths/path_rows.h"
#include "analysis/paths/path_ticks.h"
#include "analysis/counts/scene.h"

struct err;

enum { HOT_PATH_ENTRY = 1, HOT_PATH_LOOP = 2, HOT_PATH_EXIT = 4 };

/* What paths are weighed by. */
enum path_metric {
    METRIC_INSTRUCTIONS, /* that ran along them */
    METRIC_TICKS,
    METRIC_L1D, /* from here on what a model of a core said: model_costs.h */
    PATH_METRICS = METRIC_L1D + MODEL_COSTS
};
const char *path_metric_name(enum path_metric metric);

struct hot_path {
    uint32_t module;   /* of the scene */
    uint32_t kind;     /* HOT_PATH_: begins at the entry; goes around a loop; leaves the function */
    uint64_t function; /* its entry */
    const char *linkage;      /* its name */
    const uint64_t *ids;      /* of its paths, one after the other: as many as were asked for */
    struct quantity quantity; /* executions */
    struct estimate ticks;    /* not a number: not known */
    uint64_t measured;        /* the ticks are known of so many passages; 0: of none */
    uint64_t modelled[MODEL_COSTS];
    uint32_t instructions;
    uint32_t n_blocks;
    const struct svma *blocks; /* where each begins */
    const struct svma *lasts;  /* the last instruction of each */
    uint32_t context;          /* of contexts; STACK_NONE: any */
};

struct hot_paths {
    struct scene *scene;
    uint32_t side;
    uint32_t iterations;    /* paths in a row */
    bool in_contexts;       /* each calling context apart: */
    struct stacks contexts; /* of which a node is (path_rows.h) */
    struct arena arena;
    VEC(struct hot_path); /* heaviest first */
    bool has_ticks;
    struct path_clock clock;
    bool has_modelled;
    double ticks, instructions; /* of all paths */
    double modelled[MODEL_COSTS];
    uint64_t elsewhere[MODEL_COSTS]; /* of what is not along whole paths */
    enum path_metric metric;
    uint64_t functions; /* of which there are paths */
    /* Of these, names of those whose paths end where others would let them go on: they have too
     * many, */
    struct path_names {
        VEC(const char *);
    } cut, threaded;  /* or handlers that jump to each other */
    uint64_t unread;  /* functions that are numbered otherwise now, or not there */
    uint64_t unknown; /* numbers that no path has */
};

/* Whether it has any; else why not, and how to get them. */
bool hot_paths_there(const struct profile *profile, const char *file, struct err *err);
/* iterations: 1, or how many paths that an activation went one after the other make one
 * (path_rows.h). */
void hot_paths_make(struct hot_paths *paths, struct scene *scene, uint32_t side,
                    uint32_t iterations);
/* Paths in each calling context, of an exact profile that has them. */
void hot_paths_make_in_contexts(struct hot_paths *paths, struct scene *scene, uint32_t side);
void hot_paths_release(struct hot_paths *paths);

/* Who called it: from its caller outwards, the node of each call, whose place code_owner_find
 * names; STACK_NONE: no more. */
uint32_t hot_path_caller(const struct hot_paths *paths, uint32_t node);

/* Executions. */
struct estimate hot_path_count(const struct hot_paths *paths, const struct hot_path *path);
/* Weighs them by something else. False: it is not known of them. */
bool hot_paths_weigh(struct hot_paths *paths, enum path_metric metric);
/* Of one path, and of all. */
double hot_path_metric(const struct hot_path *path, enum path_metric metric);
double hot_paths_metric(const struct hot_paths *paths, enum path_metric metric);

/* Ticks, 0 where they are not known. */
static inline double hot_path_ticks(const struct hot_path *path)
{
    return path->measured ? path->ticks.value : 0;
}
/* Of all paths. */
double hot_path_share(const struct hot_paths *paths, const struct hot_path *path);
/* 1: dense, -1: sparse, 0: not known. */
int hot_path_density(const struct hot_paths *paths, const struct hot_path *path);
