/* Compressors between windows and the ring (record --compress): exits, values and latencies of a
 * thread become one stream of tuples, whose places mean something to the tool alone
 * (wire/channel.h), and only what passes the compressor goes into the ring.
 *
 * Each thread has a compressor of its own. Selection comes before it: what runs outside of the
 * places that are kept (wire/only.h) is no tuple. With `converge` neither are values of a place
 * whose last messages all told the same one, but for one window in some.
 *
 * A window is taken while its thread is still in the cache, whose exits tell what words are. */
#pragma once

#include "compress/compressor.h"

struct thread;

enum { STREAM_TUPLES = 256, STREAM_CONVERGED = 1024 };

/* What the messages of one place have told: a table by place, in which the last that came has its
 * row. */
struct stream_course {
    uint64_t place, value;
    uint32_t same; /* messages in a row with that value */
};

struct thread_stream {
    uint64_t windows;
    size_t n;
    struct tuple tuples[STREAM_TUPLES];
    struct message messages[STREAM_TUPLES + ASSOCIATIVE_MAX];
    struct stream_course courses[STREAM_CONVERGED];
    struct compressor compressor; /* last: it is large, and touched in parts */
};

/* False: there is no memory, or the design is none. */
bool stream_open(struct thread *thread);
void stream_close(struct thread *thread);
/* The window that the thread's context holds. */
void stream_window(struct thread *thread, const uint32_t *exits, uint32_t n);
/* What waits, and what counters behind the compressor hold; the thread ends. */
void stream_end(struct thread *thread);
