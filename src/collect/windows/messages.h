/* Exits that compressors inside a process passed on (record --compress, wire/channel.h). They wait
 * until the batch is closed.
 *
 * A message comes from another process. One that names no known exit is left out, and counted. */
#pragma once

#include "base/vec.h"
#include "collect/windows/tally.h"
#include "compress/tuple.h"
#include "wire/u128.h"

#include <stdbool.h>

/* Starts as {0}. */
struct messages {
    struct {
        VEC(struct tally_sighting);
    } exits;
    uint64_t waiting;      /* weight of windows whose exits wait */
    uint64_t instructions; /* of those windows */
    u128 executions;
    uint64_t stands_for[TUPLE_KINDS]; /* tuples, by their kind; of all messages */
    uint64_t garbled;                 /* of all messages */
};

void messages_release(struct messages *messages);
/* False: it makes no sense. */
bool messages_exit(struct messages *messages, const struct message *message);
/* One more window, of this weight, whose exits come as messages. */
void messages_window(struct messages *messages, const struct tally_weight *weight);
/* Counts the exits that wait, and returns their weight. All windows together stand for what they
 * had, so what passed the compressor is scaled to their weight. If only some code came to the
 * compressor (`part`), that has its share alone. False: there are none; the weight waits for more.
 */
bool messages_tally(struct messages *messages, struct tally *tally, bool part,
                    struct tally_weight *ret);
