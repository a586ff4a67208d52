/* Sampled walks -> batches of the profile: the one entrance for what the agent's samples recorded.
 *
 * A walk is a sample and, mostly, a window. The sample's time goes to the place that it interrupted
 * (interrupts.h). The window is weighed (weighing.h), its exits become ranges and edges
 * (expansion.h), and consumers make the rest of it (window_consumer.h).
 *
 * Walks close in time are correlated, of one thread or of several, so batches are long: in time as
 * it passes and in CPU time. The first is for many threads that do one thing together, the second
 * for those that seldom run. */
#pragma once

#include "collect/windows/counted_trails.h"
#include "collect/windows/crew.h"
#include "collect/windows/expansion.h"
#include "collect/windows/interrupts.h"
#include "collect/windows/messages.h"
#include "collect/windows/weighing.h"
#include "profile/batch.h"

#include <stdbool.h>

struct payload_sum;
struct stack_sample;
struct window_consumer;
struct window_sums;

enum {
    DECODE_BATCH_NS = 250000000,
    DECODE_CONSUMERS = 16,
};

struct decode {
    struct units *units;
    struct crew *crew;
    struct profile *profile; /* gets closed batches */
    struct interrupts interrupts;
    struct weighing weighing;
    struct expansion expansion; /* of the weighing's tally */
    struct messages messages;   /* exits of windows that the agent compressed */
    struct counted_trails trails;
    bool tallies; /* counts come from trails; else from windows */
    struct batch batch;
    struct {
        uint64_t start_tsc, last_tsc, cpu_ns; /* first and last walk; CPU time of its samples */
    } span;                                   /* of the open batch */
    struct window_consumer *consumers[DECODE_CONSUMERS];
    size_t n_consumers;
    uint64_t windows, instructions; /* accepted so far */
    /* CPU time of samples: of all, of those that were to be walked, and of these with a complete
     * window. */
    uint64_t sampled_ns, tried_ns, complete_ns;
    uint64_t garbled;  /* samples that follow another at once */
    uint64_t unmapped; /* exits that led outside every module */
};

/* A walk of the ring, in private copies: the ring may change under us. */
struct walk_entry {
    const struct event_walk *walk;
    const uint32_t *exits;            /* walk->n_exits ids; before them those of the lead */
    const uint64_t *words;            /* walk->n_payload */
    const struct stack_sample *stack; /* NULL: none was copied */
};

/* Opens all consumers that the session wants. `payloads` counts events. */
void decode_init(struct decode *decode, const struct recording_session *session,
                 struct channel *channel, struct units *units, struct crew *crew,
                 struct payload_sum *payloads);
void decode_release(struct decode *decode);
/* One more consumer, behind the others. The decode releases it. */
void decode_listen(struct decode *decode, struct window_consumer *consumer);

/* Returns where the stack of the walk's thread begins; 0: not known. */
uint64_t decode_walk(struct decode *decode, const struct walk_entry *entry);
/* Messages of a compressor in the process; private copies. Exits among them weigh when the batch is
 * closed. */
void decode_messages(struct decode *decode, const struct message *messages, size_t n);
/* Closes a batch of what trails have counted, if there is enough of it. The ring and the units were
 * read before. */
void decode_counters(struct decode *decode);
/* Closes the open batch, if any. `last`: nothing will follow. */
void decode_flush(struct decode *decode, bool last);
/* The process has ended: work that was put off until now. */
void decode_end(struct decode *decode);
/* The profile was emptied. */
void decode_forget(struct decode *decode);

/* CPU time that complete windows stand for. */
uint64_t decode_complete_ns(const struct decode *decode);
/* Walks and messages that made no sense. */
uint64_t decode_garbled(const struct decode *decode);
/* Adds the losses and streams of all consumers. */
void decode_sum(const struct decode *decode, struct window_sums *sums);
