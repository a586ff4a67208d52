/* Paths in calling contexts, of traces: how often each ran in each context, and what a model said
 * of it there. */
#pragma once

#include "base/map.h"
#include "consumers/step_costs.h"
#include "wire/address.h"

struct profile;
struct trace_contexts;

struct context_paths {
    struct map keys; /* struct context_path_key -> index */
    struct {
        VEC(struct context_path {
            uint64_t count;
            struct step_cost_sum costs;
        });
    };
};

/* No padding. */
struct context_path_key {
    uint32_t node; /* trace_contexts.h; 0: none */
    uint32_t module;
    uint64_t function, path;
};

void context_paths_init(struct context_paths *paths);
void context_paths_release(struct context_paths *paths);
/* It ran once more. */
void context_paths_count(struct context_paths *paths, const struct context_path_key *key,
                         const struct step_cost_sum *costs);
/* The process has ended: adds them to the profile as collect/exact/call_tree.c does. Those of a
 * function that is not its context's own have no context, and are left out. */
void context_paths_give(const struct context_paths *paths, const struct trace_contexts *contexts,
                        struct profile *profile, uint32_t pid);
