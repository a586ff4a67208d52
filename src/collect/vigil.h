/* Waits for whatever a plain recording has to react to: a ring that fills, a signal, an end.
 *
 * With a program that was started, its signals are handled as launch.h says, and its end is the end.
 * Without, SIGINT, SIGTERM and SIGHUP end the recording, and so does the end of the last process that is
 * watched. */
#pragma once

#include "base/vec.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct child;
struct err;

struct vigil {
    struct child *child; /* NULL: none was started */
    VEC(struct pollfd);  /* signals first, then rings, then processes */
    size_t rings;
    size_t watched; /* processes that are still there */
    bool ended;
};

/* `child`: launched already, or NULL. */
bool vigil_init(struct vigil *vigil, struct child *child, struct err *err);
void vigil_release(struct vigil *vigil);
/* Descriptors stay the caller's. All rings come before the first process. */
void vigil_ring(struct vigil *vigil, int fd);
/* False: there is no such process. */
bool vigil_process(struct vigil *vigil, int pid, struct err *err);

/* Until something happened, or CLOCK_MONOTONIC is at due_ns. */
void vigil_wait(struct vigil *vigil, uint64_t due_ns);
