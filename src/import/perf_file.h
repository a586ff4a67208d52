/* A file that perf wrote: which events it has, what it says of the machine, and its records one by
 * one.
 *
 * Files that were written whole and those that went through a pipe are read alike. The bytes are
 * anybody's: a record is inside the file or is an error that tells its offset; what is inside of a
 * record is checked by whoever takes it apart (perf_record of this folder). */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* One event that was asked for: what its samples carry. */
struct perf_kind {
    uint32_t type; /* the number of its PMU */
    uint64_t config;
    uint64_t period; /* between samples; 0: it was a frequency */
    uint64_t sample_type, read_format, branch_type, user_registers, kernel_registers;
    bool ids_everywhere; /* every record ends with ids */
    uint32_t precise;
    const char *name; /* NULL: not told */
};

struct perf_pmu {
    uint32_t type;
    const char *name;
};

/* A file whose build-id is told beside the records. */
struct perf_built {
    const char *path;
    uint8_t id[20];
    uint32_t id_bytes;
};

struct perf_file {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t data, data_end; /* where records are */
    struct arena arena;
    struct perf_kinds {
        VEC(struct perf_kind);
    } kinds;
    struct map ids; /* uint64_t; index i is of kind of_ids.at[i] */
    struct perf_of_ids {
        VEC(uint32_t);
    } of_ids;
    struct perf_pmus {
        VEC(struct perf_pmu);
    } pmus;
    struct perf_builts {
        VEC(struct perf_built);
    } builts;
    const char *cpuid, *arch, *command; /* NULL: not told */
};

/* The bytes must stay. */
bool perf_file_open(struct perf_file *file, const void *bytes, size_t n, struct err *err);
void perf_file_release(struct perf_file *file);

/* NULL: no such PMU, or nothing is said of PMUs. */
const char *perf_file_pmu(const struct perf_file *file, uint32_t type);

/* Where a record lies, with what follows it and is not in its size. */
struct perf_span {
    uint64_t offset;
    uint32_t type, misc, bytes;
    uint64_t beyond; /* bytes of trace behind it */
};

/* The record at *offset, which moves behind it; false with err->kind ERR_NONE at the end. */
bool perf_file_next(const struct perf_file *file, uint64_t *offset, struct perf_span *ret_span,
                    struct err *err);
