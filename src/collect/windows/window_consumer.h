/* Consumers of sampled windows: each makes one thing of them. Traces have consumers/consumer.h.
 *
 * A consumer belongs to one process. It gets the windows that decode.h accepted, with their
 * weights, in the order of the ring; then the end of each batch. All that it needs of a window is
 * in struct weighed_window, which is good until `window` returns.
 *
 * To add one: a file in this folder, and a line in window_consumers.def. Of its functions only
 * `release` must be there. */
#pragma once

#include "collect/windows/tally.h"
#include "process/recording_session.h"
#include "values/payloads.h"
#include "wire/losses.h"

#include <stdbool.h>
#include <stdint.h>

struct batch;
struct message;
struct stack;

struct weighed_window {
    const struct event_walk *walk;        /* n_exits, instructions, end_pc: of the part that counts;
                                             before its exits lie those of the lead */
    struct payload_window whole, counted; /* the part that counts: window_reach.h */
    struct tally_weight weight;           /* of that part */
    uint64_t stands_for_ns;               /* CPU time */
    uint64_t sample_ns;                   /* CPU time that all windows of its sample stand for */
    uint32_t value_weight;                /* of each value, in 2^-VALUE_BITS */
    uint32_t passage_weight;              /* of each passage, if all windows were as long */
    uint64_t number;                      /* windows before it */
    bool others;                          /* other threads of the process have run, too */
    uint64_t tsc_hz;                      /* 0: not known */
    const struct stack *stack;            /* at the interrupt; NULL: not known */
};

struct batch_end {
    struct batch *batch;
    uint64_t cpu_ns; /* that its samples cover */
    bool last;       /* no window will follow */
};

/* Added up over all consumers. */
struct window_sums {
    uint64_t losses[LOSS_N];
    struct stream_sum {
        uint64_t taken, told, stands_for; /* tuples, messages, tuples that these stand for */
        uint64_t settled;                 /* tuples that were left out before the compressor */
    } stream;
};

struct window_consumer;

struct window_consumer_kind {
    void (*window)(struct window_consumer *consumer, const struct weighed_window *window);
    /* A window whose words the agent compressed: they come as messages. */
    void (*compressed)(struct window_consumer *consumer);
    /* Such a message, of a value or a latency. False: it makes no sense, or is another's. */
    bool (*message)(struct window_consumer *consumer, const struct message *message);
    void (*flush)(struct window_consumer *consumer, const struct batch_end *end);
    /* After the last flush: work that can wait until the process has ended. */
    void (*end)(struct window_consumer *consumer);
    /* The profile was emptied: indices into it are void. */
    void (*forget)(struct window_consumer *consumer);
    void (*sum)(const struct window_consumer *consumer, struct window_sums *sums);
    /* Frees the consumer, too. */
    void (*release)(struct window_consumer *consumer);
};

/* The first member of each. */
struct window_consumer {
    const struct window_consumer_kind *kind;
};

/* What a consumer is opened with, for as long as it lives. */
struct window_setting {
    const struct recording_session *session;
    struct units *units;
    const struct tally *tally;    /* lengths of exits */
    struct batch *batch;          /* the open batch */
    struct payload_sum *payloads; /* of the process */
};

/* NAME_open: NULL if the recording does not want the consumer. */
#define WINDOW_CONSUMER(name)                                                                      \
    struct window_consumer *name##_open(const struct window_setting *setting);
#include "collect/windows/window_consumers.def"
#undef WINDOW_CONSUMER
