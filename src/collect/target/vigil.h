/* Waits for what a plain recording reacts to: a ring that fills, a signal, an end.
 *
 * With a started program, signals are handled as launch.h says, and its end ends the recording.
 * Without one, SIGINT, SIGTERM and SIGHUP end it, and so does the end of the last watched process.
 */
#pragma once

#include "base/vec.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct child;
struct err;

struct vigil {
    struct child *child; /* NULL: none */
    VEC(struct pollfd);  /* signals first, then processes, then rings */
    size_t processes;
    size_t watched; /* processes that still run */
    bool ended;
};

/* `child`: NULL, or launched before the first wait. */
bool vigil_init(struct vigil *vigil, struct child *child, struct err *err);
void vigil_release(struct vigil *vigil);
/* False: no such process. Add all processes before the first ring. */
bool vigil_process(struct vigil *vigil, int pid, struct err *err);
/* The caller keeps the descriptor. */
void vigil_ring(struct vigil *vigil, int fd);

/* Waits until something happens, or CLOCK_MONOTONIC reaches due_ns. */
void vigil_wait(struct vigil *vigil, uint64_t due_ns);
