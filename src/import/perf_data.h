/* What perf recorded, as a plain profile: samples of its first event become weights of places, and
 * what the hardware told of each sampled instruction (AMD's IBS, Arm's SPE, Intel's PEBS) becomes a
 * record of its own. */
#pragma once

#include "records/bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct profile;

/* binary: NULL, or a file that stands for what has its name in the recording. */
bool perf_data_import(struct profile *profile, const void *bytes, size_t n, const char *binary,
                      struct err *err);

/* Who wants to hear what each record of hardware says, part by part. */
struct perf_listener {
    /* A record begins: where in the file, and whose it is ("ibs_op", "ibs_fetch", "spe", "pebs").
     */
    void (*begin)(void *closure, uint64_t offset, const char *origin);
    struct bits_listener parts;
};
bool perf_data_tell(const void *bytes, size_t n, const struct perf_listener *listener,
                    struct err *err);
