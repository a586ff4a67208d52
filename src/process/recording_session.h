/* One recording under way: its options, and what all its processes share. Everything outlives the
 * processes. */
#pragma once

#include "process/recording_options.h"

struct kernel_part;
struct latency_scale;
struct mapped_files;
struct module_host;
struct output;
struct path_plans;
struct payload_consumer;
struct profile;
struct share;
struct stream_dump;
struct walk_stacks;

struct recording_session {
    const struct recording_options *options;
    struct share *share;               /* NULL: channels have no banks */
    struct profile *profile;           /* gets what is new */
    struct mapped_files *files;        /* NULL: each process opens its files itself */
    struct walk_stacks *stacks;        /* of walks; NULL: not recorded */
    const struct latency_scale *scale; /* NULL: latencies are not kept */
    struct module_host *module;        /* NULL: there is none */
    struct payload_consumer *listener; /* gets every event of windows and traces; or NULL */
    struct stream_dump *stream_dump;   /* gets tuples of traces; or NULL */
    struct path_plans *paths;          /* NULL: neither paths nor contexts are counted */
    struct kernel_part *kernel;        /* NULL: an exact run */
    const struct output *output;       /* where the profile goes; NULL: nowhere */
};

/* Whether somebody looks at events one by one; else they are only counted, which is cheaper. */
static inline bool session_wants_events(const struct recording_session *session)
{
    return session->module || session->listener;
}
