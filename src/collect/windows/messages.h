/* What compressors inside a process have passed on (record --compress, wire/channel.h): values and
 * latencies go to their lists, exits wait until the batch is closed.
 *
 * A message comes from another process. One that names no exit and no word that was ever told of is
 * left out, and counted. */
#pragma once

#include "base/vec.h"
#include "values/latencies.h"
#include "collect/windows/tally.h"
#include "values/value_lists.h"
#include "compress/tuple.h"
#include "wire/u128.h"

#include <stdbool.h>

struct messages {
    const struct units *units;
    struct value_lists *values;
    struct latencies *latencies;
    struct {
        VEC(struct tally_sighting);
    } exits;
    uint64_t waiting;      /* weight of windows whose exits do */
    uint64_t instructions; /* of them */
    u128 executions;
    uint64_t stands_for[TUPLE_KINDS]; /* tuples, by their kind */
    uint64_t garbled;
};

void messages_init(struct messages *messages, const struct units *units, struct value_lists *values,
                   struct latencies *latencies);
void messages_release(struct messages *messages);
void messages_take(struct messages *messages, const struct message *some, size_t n);
/* One more window, that weighs so much; what it had of exits waits. */
void messages_window(struct messages *messages, const struct tally_weight *weight);
/* Counts the exits that wait. All windows together stand for what they had, so whatever passed the
 * compressor is made to add up to their weight; but where only some of it came to the compressor,
 * which has its part of them. False: nothing did; the weight waits for more. */
bool messages_tally(struct messages *messages, struct tally *tally, struct tally_weight *ret);
