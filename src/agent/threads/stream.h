/* Compressors between windows and the ring (record --compress): exits, values and latencies of a
 * thread become one stream of tuples, whose places only the tool understands (wire/channel.h); only
 * what passes the compressor goes into the ring.
 *
 * Each thread has its own compressor. Selection comes first: exits outside of what is kept
 * (wire/only.h) give no tuples. With `converge` values are left out if their place's last messages
 * all had the same value, except in some windows.
 *
 * A window is taken while its thread is still in the cache, whose exits know the kinds of words. */
#pragma once

#include "compress/compressor.h"
#include "compress/converged.h"

struct thread;

enum { STREAM_TUPLES = 256 };

struct thread_stream {
    uint64_t windows;
    size_t n;
    struct tuple tuples[STREAM_TUPLES];
    struct message messages[STREAM_TUPLES + ASSOCIATIVE_MAX];
    struct habits habits;
    struct compressor compressor; /* last: it is large, and touched in parts */
};

/* False: no memory, or an invalid design. */
bool stream_open(struct thread *thread);
void stream_close(struct thread *thread);
/* The window that the thread's context holds. */
void stream_window(struct thread *thread, const uint32_t *exits, uint32_t n);
/* The thread ends: sends what waits, and what counters behind the compressor hold. */
void stream_end(struct thread *thread);
