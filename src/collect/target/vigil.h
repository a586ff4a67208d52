/* Waits for whatever a plain recording has to react to: a ring that fills, a signal, an end.
 *
 * With a program that was started, its signals are handled as launch.h says, and its end is the
 * end. Without, SIGINT, SIGTERM and SIGHUP end the recording, and so does the end of the last
 * process that is watched. */
#pragma once

#include "base/vec.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct child;
struct err;

struct vigil {
    struct child *child; /* NULL: none was started */
    VEC(struct pollfd);  /* signals first, then processes, then rings */
    size_t processes;
    size_t watched; /* of the processes: are still there */
    bool ended;
};

/* `child`: NULL, or what will be launched before the first wait. */
bool vigil_init(struct vigil *vigil, struct child *child, struct err *err);
void vigil_release(struct vigil *vigil);
/* False: there is no such process. All processes come before the first ring. */
bool vigil_process(struct vigil *vigil, int pid, struct err *err);
/* The descriptor stays the caller's. */
void vigil_ring(struct vigil *vigil, int fd);

/* Until something happened, or CLOCK_MONOTONIC is at due_ns. */
void vigil_wait(struct vigil *vigil, uint64_t due_ns);
