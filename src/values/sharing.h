/* Cache lines that several threads of a process touch soon after each other, at least one of them
 * writing.
 *
 * Windows of two threads are not simultaneous, so "soon" is half a second: the line bounces between
 * them if both go on as they were seen. Nor are they read in the order of their times: many of one
 * thread may be read before those of the other. The table has SHARING_LINES lines. A line replaces
 * another in the same slot, so memory is bounded, and lines that recur stay. */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum { SHARING_LINES = 4096, SHARING_THREADS = 4 };

struct sharing_access {
    int32_t tid;
    bool writes;
    uint64_t address, bytes; /* the part in a second line is ignored */
    uint64_t tsc, window;    /* time, and number of the window: ascending, not 0 */
    uint32_t place;          /* number of the caller's choice */
};

struct sharing_thread {
    int32_t tid;
    uint32_t place;            /* of its last write, or of its last access */
    uint64_t touched, written; /* bytes of the line, as bits */
    uint64_t since, tsc;       /* from when on it came back soon each time; its last access */
    uint64_t told;             /* the last window that reported it */
};

struct sharing_line {
    uint64_t line;
    struct sharing_thread threads[SHARING_THREADS];
};

struct sharing {
    int32_t tid;                /* the only thread so far; 0: none */
    uint64_t soon;              /* ticks */
    struct sharing_line *lines; /* NULL: one thread so far */
};

void sharing_release(struct sharing *sharing);

/* Records the access. Returns CONFLICT_FALSE_SHARING or CONFLICT_SHARING, with the place of the
 * other access, once for each window, line and other thread; else CONFLICT_EXECUTED. */
enum conflict_type sharing_look(struct sharing *sharing, const struct sharing_access *access,
                                uint32_t *ret_other);
