/* Weights of a function's paths, such that its nodes and edges get from them what is known of
 * these.
 *
 * Paths of windows are looked for in a part of each, nodes and edges are counted in all of it: how
 * often these ran is known better. Weights are raised and lowered, as little as can be in the sense
 * of relative entropy, until the sums fit (generalised iterative scaling, Darroch and Ratcliff
 * 1972): each time a path changes by the geometric mean of what its nodes and edges ask for. Where
 * no weights fit, because paths are missing that were never seen whole, that mean is what remains.
 */
#pragma once

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

struct path_fit {
    /* Set by the caller. */
    struct fit_uses {
        VEC(uint32_t); /* numbers of nodes and edges, path after path */
    } uses;
    struct fit_paths {
        VEC(struct fit_path);
    } paths;
    struct fit_wanted {
        VEC(double); /* of nodes and edges; 0: not known */
    } wanted;
};

struct fit_path {
    size_t end; /* of its uses; they begin where those of the one before end */
    double weight;
};

void path_fit_release(struct path_fit *fit);
/* Forgets paths and what is wanted, but keeps the memory. */
void path_fit_clear(struct path_fit *fit);
/* Changes the weights of all paths. */
void path_fit_solve(struct path_fit *fit);
