/* Rows of the window of a live recording: functions, processes, threads or modules; and who calls a
 * function. */
#pragma once

#include "analysis/live/live.h"

enum live_by { LIVE_FUNCTION, LIVE_PROCESS, LIVE_THREAD, LIVE_MODULE, LIVE_CALLER };

/* What the rows are of, and which part of the window they are about. */
struct live_query {
    enum live_by by;
    uint32_t pid, tid; /* 0: all */
    uint32_t module;   /* of the recording; LIVE_NONE: all */
    uint32_t function; /* of LIVE_CALLER: whose callers */
};

struct live_row {
    const char *name;   /* of the function, process, thread or module */
    const char *module; /* of a function */
    uint32_t pid, tid;
    uint32_t function, module_id; /* LIVE_NONE: none, or of several */
    bool kernel;                  /* code of the kernel */
    struct groups self, total;    /* total: with all that it called */
    uint64_t user_ns, kernel_ns;  /* of a process or thread, exact */
    uint32_t hottest; /* function of a process, thread or module; LIVE_NONE: no sample */
    struct estimate share, total_share; /* of all CPU time that the query is about */
    double seconds;                     /* of CPU time */
};

struct live_rows {
    VEC(struct live_row); /* the heaviest first */
    struct groups all;    /* what shares are of */
    double seconds;       /* of CPU time, of all that the query is about */
    double weight_ns;     /* the mean weight of a sample */
};

void live_rows_make(struct live_rows *rows, const struct live *live,
                    const struct live_query *query);
void live_rows_release(struct live_rows *rows);
