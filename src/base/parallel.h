/* Independent pieces of work, done by as many threads as there are cores. */
#pragma once

#include <stddef.h>

enum { PARALLEL_MAX = 16 };

/* Calls work(context, i, worker) once for each i < n, in no order; worker < PARALLEL_MAX tells
 * threads apart, so that each can have memory of its own. Returns when all is done. With one core,
 * or n < 2, everything happens on the calling thread, as worker 0. */
void parallel_for(size_t n, void (*work)(void *context, size_t i, unsigned worker), void *context);
