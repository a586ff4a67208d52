/* Where threads waited, added up by reason, by thread or by stack, the longest time first. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/waits/wait_reason.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct scene;

enum wait_by { WAIT_BY_REASON, WAIT_BY_THREAD, WAIT_BY_STACK, WAIT_BYS };
const char *wait_by_name(enum wait_by by);

struct wait_filter {
    uint32_t pid, tid;    /* 0: all */
    const char *reason;   /* as in rows, or a system call; NULL: all */
    const char *function; /* only stacks with a function of this name or glob; NULL: all */
};

struct wait_row {
    const char *reason, *syscall; /* "": none; by thread both */
    uint64_t thread;              /* by thread: stack_thread */
    uint32_t stack;               /* by stack: of wait_view.nodes */
    uint64_t holder;              /* by stack: the thread that had the lock; 0: not known */
    uint32_t threads;             /* that waited so; by thread 1 */
    uint64_t ns, n, longest_ns, seen;
    uint64_t runnable_ns; /* of ns */
};

/* A frame of user code, below its caller's. */
struct wait_node {
    uint32_t parent;      /* itself: none; node 0 has no frames */
    uint32_t module;      /* of the scene; MODULE_NONE: none */
    uint64_t start, site; /* of the function, 0: not known; an address in it, of the profile */
    const char *linkage;
    const char *line; /* "file:line" of the site; "": not known, or any: a thread that lost its CPU
                         did not choose where */
};

struct wait_view {
    struct scene *scene;
    struct wait_filter filter;
    struct wait_nodes {
        VEC(struct wait_node);
    } nodes;
    struct map node_keys, thread_keys;
    struct wait_rows {
        struct map keys;
        VEC(struct wait_row);
    } rows[WAIT_BYS];
    struct intern texts;
    uint64_t ns, n, seen, longest_ns;
    uint32_t threads;
};

/* The scene has one side, with waits. False: the filter lets nothing through. */
bool wait_view_make(struct wait_view *view, struct scene *scene, struct wait_filter filter,
                    struct err *err);
void wait_view_release(struct wait_view *view);

/* The kernel's name of the thread, or "". */
const char *wait_thread_name(const struct wait_view *view, uint64_t thread);

/* Seconds. Some stacks stand for waits whose stack was not taken: then there is an interval. Times
 * of threads are known. */
struct estimate wait_row_time(const struct wait_row *row, enum wait_by by);
struct estimate wait_row_count(const struct wait_row *row, enum wait_by by);
