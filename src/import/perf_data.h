/* A perf.data as a plain profile: samples of its first event become weights of places. Hardware
 * records of sampled instructions (AMD's IBS, Arm's SPE, Intel's PEBS) become records of the
 * profile. */
#pragma once

#include "records/bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct profile;

/* `binary`: NULL, or a file that replaces the one of its name in the recording. */
bool perf_data_import(struct profile *profile, const void *bytes, size_t n, const char *binary,
                      struct err *err);

/* Gets the parts of each hardware record. */
struct perf_listener {
    /* A record begins: its offset in the file, and its origin ("ibs_op", "ibs_fetch", "spe",
     * "pebs"). */
    void (*begin)(void *closure, uint64_t offset, const char *origin);
    struct bits_listener parts;
};
bool perf_data_tell(const void *bytes, size_t n, const struct perf_listener *listener,
                    struct err *err);
