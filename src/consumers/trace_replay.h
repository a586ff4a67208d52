/* Traces through a model of a core (model/replay/replay.h): each thread on a core of its own. The
 * audience listens; without one, an account (model/replay/account.h) is made for the profile.
 *
 * Code without a file (made by the process itself) is not modelled: a gap, and counted. */
#pragma once

#include "base/vec.h"
#include "consumers/consumer.h"
#include "process/images.h"
#include "consumers/step_costs.h"
#include "consumers/trace_counters.h"
#include "consumers/trace_records.h"
#include "model/replay/account.h"

#include <stdint.h>

/* The instructions of an exit: n of them, from index `first` of the code. */
struct replay_exit {
    uint32_t first, n;
};

struct profile;

struct replay_thread {
    struct replay replay;
    struct account_listener *listener;  /* NULL: there is an audience */
    struct record_listener *records;    /* NULL: no pairs are followed */
    struct counters_listener *counters; /* NULL: there are none */
    struct step_costs costs;            /* if they are wanted */
};

struct trace_replay {
    struct consumer consumer;
    struct replay_audience *audience; /* NULL: the account is made instead */
    struct replay_listener *also;     /* hears all threads; or NULL */
    struct account account;
    struct trace_records records;
    struct trace_counters counters;
    struct images images;
    struct core_code code;
    struct replay_exits {
        VEC(struct replay_exit);
    } exits;         /* by id */
    size_t followed; /* superblocks */
    struct replay_threads {
        VEC(struct replay_thread *);
    } threads; /* NULL: ended */
    struct replay_words {
        VEC(struct replay_data);
    } data;     /* of one exit */
    bool costs; /* costs of each instruction are kept, for consumers that read the passage after
                   this one */
    uint64_t steps_left; /* the process is killed after so many; 0: it is not */
    int process; /* pidfd: by the time that its trace is read its number may be another's; or -1 */
    uint64_t unread; /* instructions that were not modelled */
    uint64_t astray; /* passages with a payload of the wrong length */
};

/* `audience`: may be NULL; then `model` is used. */
void trace_replay_init(struct trace_replay *replay, const struct units *units,
                       const struct model *model, struct replay_audience *audience);
/* Kills the process after so many instructions; call it while the process lives. */
void trace_replay_limit(struct trace_replay *replay, uint64_t steps);
void trace_replay_release(struct trace_replay *replay);
/* Costs of the passage that was read last, from its beginning; NULL: they are not kept. */
struct step_costs *trace_replay_costs(const struct trace_replay *replay, uint32_t thread);
/* All threads have ended. */
void trace_replay_give(struct trace_replay *replay, struct profile *profile);
