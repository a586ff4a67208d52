/* A counted function: its graph, and its counts on every side of a scene.
 *
 * All sides share one graph. It is built from the code and from the branch targets that any side
 * has seen, so blocks and edges mean the same on every side. Counts are as they were recorded;
 * counted_module.h makes them consistent. */
#pragma once

#include "analysis/counts/flow.h"

struct counted_function {
    struct scene_function seen; /* its records */
    bool built;                 /* graph and flows are there */
    struct cfg cfg;
    struct flow flows[SIDES_MAX];
};

struct counted_functions {
    VEC(struct counted_function); /* by function */
};

/* `seen` has a binary and a function; it may have no records. Safe on several threads at once. */
void counted_function_build(struct counted_function *function, const struct scene *scene,
                            struct scene_function seen);
/* Keeps `seen`, so that the function can be built again. */
void counted_function_release(struct counted_function *function);
