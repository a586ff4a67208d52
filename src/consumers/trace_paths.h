/* Paths of a traced program, all of them (path_walk.h): what an exact run that counts paths must
 * come to. */
#pragma once

#include "consumers/consumer.h"
#include "consumers/path_walk.h"
#include "consumers/trace_replay.h"
#include "profile/batch.h"

struct trace_paths {
    struct consumer consumer;
    struct batch batch; /* since they were last given out */
    struct path_book book;
    struct path_walks walks;
    const struct trace_replay *replay; /* which has read each passage before; NULL: nobody has */
    struct {
        VEC(struct path_walk);
    } threads;
};

void trace_paths_init(struct trace_paths *paths, struct units *units);
void trace_paths_release(struct trace_paths *paths);

/* Adds what is new to an exact profile. */
void trace_paths_give(struct trace_paths *paths, struct profile *profile);
/* When all threads have ended: what a model says of what is not along whole paths. */
void trace_paths_end(struct trace_paths *paths, struct profile *profile);
