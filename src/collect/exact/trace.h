/* The traces of one process: rings of its threads' exits, handed to consumers.
 *
 * The program waits while its ring is full, so rings are read again and again, with as little work
 * per entry as possible. A ring is written by another process: entries are copied, then checked. An
 * entry with an impossible length ends the reading of that ring for good: it is drained unread, so
 * that the program need not wait. */
#pragma once

#include "base/vec.h"
#include "consumers/consumer.h"
#include "collect/channel/ring_entry.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stdint.h>

struct share;

enum { TRACE_CONSUMERS = 9 };

/* The ring of a thread slot. */
struct trace_ring {
    struct wire_trace *shared; /* NULL: never used */
    uint64_t read;             /* bytes ever read */
    bool open, broken;         /* open: it has a thread */
    int32_t tid;
    uint32_t thread; /* its number */
    uint64_t end_pc; /* of its last passage */
    uint32_t stop;   /* as in its last entry */
};

struct trace {
    const struct share *share;
    uint32_t index; /* of the channel */
    struct channel *channel;
    struct units *units;
    struct consumer *consumers[TRACE_CONSUMERS];
    uint32_t n_consumers;
    bool payload;     /* exits have a payload */
    uint32_t threads; /* so far */
    struct trace_ring rings[CHANNEL_THREADS];
    uint64_t heads[CHANNEL_THREADS]; /* published, at trace_look */
    uint32_t next;                   /* ring to read first, so that each has its turn */
    bool over;                       /* no more is read than trace_look saw */
    struct ring_bytes entry;         /* private copy */
    uint64_t garbled;                /* rings and entries that made no sense */
};

void trace_init(struct trace *trace, const struct share *share, uint32_t index,
                struct channel *channel, struct units *units);
void trace_release(struct trace *trace);

/* Notes how far rings are filled: trace_read will read up to there. Read units in between: they are
 * published before the exits that name them. True: there is something to read. */
bool trace_look(struct trace *trace);
/* Hands over what trace_look saw, one entry at least, until this time of CLOCK_MONOTONIC: a model
 * takes seconds for a full ring, and there may be hundreds. Returns bytes. */
uint64_t trace_read(struct trace *trace, uint64_t until_ns);
/* Nothing beyond what is published now will be read. */
void trace_over(struct trace *trace);
/* Bytes that trace_look saw and that are not read yet. */
uint64_t trace_left(const struct trace *trace);
/* The process has ended: so have threads that did not say so. */
void trace_end(struct trace *trace);
