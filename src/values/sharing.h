/* Cache lines that several threads of a process touch, at least one of them writing, one soon after
 * the other.
 *
 * Windows of two threads are not of the same moment, so "soon" is half a second, and what is told
 * is that the line goes to and fro if both go on as they were seen to. A table of SHARING_LINES
 * lines: another line in the same place takes it over, so that memory is bounded, and lines that
 * are met again and again stay. */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum { SHARING_LINES = 4096, SHARING_THREADS = 4 };

struct sharing_access {
    int32_t tid;
    bool writes;
    uint64_t address, bytes; /* what goes on in a second line is not looked at */
    uint64_t tsc, window;    /* when, and in which: one that is new has a new number, not 0 */
    uint32_t place;          /* the caller's */
};

struct sharing_thread {
    int32_t tid;
    uint32_t place;            /* of its last access: of the last that wrote, if any did */
    uint64_t touched, written; /* bytes of the line, as bits */
    uint64_t tsc, told;        /* its last access; the last window that was told of it */
};

struct sharing_line {
    uint64_t line;
    struct sharing_thread threads[SHARING_THREADS];
};

struct sharing {
    int32_t tid;                /* the only one so far; 0: none */
    uint64_t soon;              /* ticks */
    struct sharing_line *lines; /* NULL: there is one thread */
};

void sharing_release(struct sharing *sharing);

/* Takes the access down. CONFLICT_FALSE_SHARING or CONFLICT_SHARING, with the place of the other,
 * once for each window, line and other thread; CONFLICT_EXECUTED if there is nothing to tell. */
enum conflict_type sharing_look(struct sharing *sharing, const struct sharing_access *access,
                                uint32_t *ret_other);
