/* Traces through a model of a core (model/replay/replay.h), as they come: each thread on a core of
 * its own. Who listens is the audience; without one, an account is made (model/replay/account.h)
 * and given to the profile.
 *
 * What has no file to be read from (code that the process made itself) is not modelled: a gap, and
 * counted. */
#pragma once

#include "base/vec.h"
#include "consumers/consumer.h"
#include "process/images.h"
#include "consumers/step_costs.h"
#include "consumers/trace_records.h"
#include "model/replay/account.h"

#include <stdint.h>

/* What an exit has executed: the first n instructions from that index of the code on. */
struct replay_exit {
    uint32_t first, n;
};

struct profile;

struct replay_thread {
    struct replay replay;
    struct account_listener *listener; /* NULL: others listen */
    struct record_listener *records;   /* NULL: no instruction is followed */
    struct step_costs costs;           /* if somebody asks for them */
};

struct trace_replay {
    struct consumer consumer;
    struct replay_audience *audience; /* NULL: the account is made */
    struct replay_listener *also;     /* hears all threads; NULL: nobody */
    struct account account;
    struct trace_records records;
    struct images images;
    struct core_code code;
    struct replay_exits {
        VEC(struct replay_exit);
    } exits;         /* by id */
    size_t followed; /* superblocks */
    struct replay_threads {
        VEC(struct replay_thread *);
    } threads; /* NULL: it has ended */
    struct replay_words {
        VEC(struct replay_data);
    } data;          /* of one exit */
    bool costs;      /* of each instruction, for those who read the same passage behind us */
    uint64_t unread; /* instructions that were not modelled */
    uint64_t astray; /* passages whose payload is not as long as it must be */
};

/* audience: NULL if there is none; then the model is this one. */
void trace_replay_init(struct trace_replay *replay, const struct units *units,
                       const struct model *model, struct replay_audience *audience);
void trace_replay_release(struct trace_replay *replay);
/* Of the passage that was read last; NULL: nobody has asked. */
struct step_costs *trace_replay_costs(const struct trace_replay *replay, uint32_t thread);
/* When all threads have ended. */
void trace_replay_give(struct trace_replay *replay, struct profile *profile);
