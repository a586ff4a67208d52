/* A program and all that it starts, with the processor's branch records (LBR), as perf record -b
 * has them: the kernel's records become a perf.data in memory, to be read as any other (import/).
 *
 * It was never run on a processor that has branch records: no machine at hand did. Everything but
 * the records themselves is tried without them (`bare`). */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

struct err;
struct perf_event_attr;
struct perf_event_header;

/* A perf.data that grows: begun once, records in time order, ended once. */
struct branches_file {
    VEC(uint8_t);
};
void branches_file_begin(struct branches_file *file, const struct perf_event_attr *attr);
/* False: there is no room for more. */
bool branches_file_add(struct branches_file *file, const struct perf_event_header *record);
void branches_file_end(struct branches_file *file);

struct branches_options {
    char *const *argv;
    uint32_t hz;
    uint64_t seed;
    bool bare; /* without branch records: by CPU time */
};

struct branches_recording {
    int exec_errno; /* why the program could not be executed; 0: it could */
    int status;     /* of the program, as of waitpid */
    struct rusage usage;
    uint64_t wall_ns, tool_ns;
    uint64_t dropped; /* records that there was no room for */
    char event[128];
    struct branches_file file; /* the caller releases it */
};

/* Whether the machine has them, and grants them; else err says why. */
bool branches_granted(uint32_t hz, bool bare, struct err *err);
/* False: nothing was recorded. */
bool branches_run(const struct branches_options *options, struct branches_recording *ret_recording,
                  struct err *err);
