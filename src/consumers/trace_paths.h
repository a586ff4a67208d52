/* All paths of a trace (path_walk.h): the reference for exact runs that count paths. */
#pragma once

#include "consumers/consumer.h"
#include "consumers/context_paths.h"
#include "consumers/path_walk.h"
#include "consumers/trace_contexts.h"
#include "consumers/trace_replay.h"
#include "profile/batch.h"

struct trace_paths {
    struct consumer consumer;
    struct batch batch; /* not in the profile yet */
    struct path_book book;
    struct path_walks walks;
    const struct trace_replay *replay;     /* has read each passage before; or NULL */
    const struct trace_contexts *contexts; /* likewise: paths are counted in contexts, too */
    struct context_paths in_contexts;
    struct {
        VEC(struct path_walk);
    } threads;
};

void trace_paths_init(struct trace_paths *paths, struct units *units);
void trace_paths_release(struct trace_paths *paths);

/* Adds what is new to an exact profile. */
void trace_paths_give(struct trace_paths *paths, struct profile *profile);
/* All threads have ended: adds the model's costs of instructions that are not on whole paths, and
 * the paths in contexts. */
void trace_paths_end(struct trace_paths *paths, struct profile *profile, uint32_t pid);
