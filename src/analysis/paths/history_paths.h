/* The paths that led to followed instructions (profile/sample_list.h), by the directions of the
 * last conditional branches that each record has (Dean et al. 1997, section 5.3); or, of branch
 * records that were imported, to the newest branch of each sample.
 *
 * A path ends at the record's instruction, and begins where its function was entered, or so many
 * branches before, or where the code is not known. Of several that fit the directions it is the
 * likeliest by the recording's own edges (paths/trail.h). */
#pragma once

#include "base/vec.h"
#include "analysis/counts/scene.h"
#include "profile/sample_list.h"

enum { HISTORY_PATH_BITS = 8, HISTORY_PATH_BITS_MOST = 64 };

struct history_path {
    uint32_t module; /* of the scene */
    uint64_t function;
    const char *linkage;
    const struct svma *blocks; /* where each piece of code begins, in the order they ran */
    uint32_t n_blocks;
    uint64_t records; /* that ended on it, */
    uint64_t alone;   /* where it is the only one that fits, */
    double weight;    /* and instructions that they stand for */
};

struct history_paths {
    struct scene *scene;
    uint32_t bits;
    struct arena arena;
    struct sample_list told;  /* records, and rows of branches' directions as such */
    VEC(struct history_path); /* by weight; heaviest first */
    uint64_t records;         /* retired, or branches, with so many directions */
    uint64_t untold;          /* of these: no path fits, or too many were tried; code not there */
    double weight;            /* of all records */
};

/* Whether the profile has records with directions; else why not, and how to get them. */
bool history_paths_there(const struct profile *profile, const char *file, struct err *err);
/* bits: how many directions to use; records with fewer are left out. */
void history_paths_make(struct history_paths *paths, struct scene *scene, uint32_t bits);
void history_paths_release(struct history_paths *paths);
