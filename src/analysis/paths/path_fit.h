/* Weights of a function's paths that agree with the counts of its nodes and edges.
 *
 * Paths are searched in a part of each window, nodes and edges are counted in all of it, so the
 * latter are known better. Weights change as little as possible in the sense of relative entropy
 * until the sums fit (generalised iterative scaling, Darroch and Ratcliff 1972): in each step a
 * path changes by the geometric mean of what its nodes and edges need. Where no weights fit,
 * because some paths were never seen whole, that mean remains. */
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
