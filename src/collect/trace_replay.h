/* Traces through a model of a core (replay/replay.h), as they come: each thread on a core of its own.
 *
 * What has no file to be read from (code that the process made itself) is not modelled: a gap, and counted. */
#pragma once

#include "base/vec.h"
#include "collect/consumer.h"
#include "collect/images.h"
#include "replay/replay.h"

#include <stdint.h>

/* What an exit has executed: the first n instructions from that index of the code on. */
struct replay_exit {
    uint32_t first, n;
};

struct trace_replay {
    struct consumer consumer;
    struct replay_audience *audience;
    struct images images;
    struct code code;
    struct replay_exits {
        VEC(struct replay_exit);
    } exits;         /* by id */
    size_t followed; /* superblocks */
    struct replay_threads {
        VEC(struct replay *);
    } threads; /* NULL: it has ended */
    struct replay_words {
        VEC(struct replay_data);
    } data;          /* of one exit */
    uint64_t unread; /* instructions that were not modelled */
    uint64_t astray; /* passages whose payload is not as long as it must be */
};

void trace_replay_init(struct trace_replay *replay, const struct units *units,
                       struct replay_audience *audience);
void trace_replay_release(struct trace_replay *replay);
