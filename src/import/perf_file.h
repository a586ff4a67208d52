/* A perf.data: its events, what it says of the machine, and its records one by one.
 *
 * Compressed records are unpacked first; offsets are then those of the unpacked ones. Files that
 * were written directly and through a pipe are read alike. The bytes are not trusted: a record
 * outside the file is an error with its offset. import/perf_record.h checks the content of records.
 */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "import/perf_unpack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* One event: which fields its samples have. */
struct perf_kind {
    uint32_t type; /* of its PMU */
    uint64_t config;
    uint64_t period; /* between samples; 0: by frequency */
    uint64_t sample_type, read_format, branch_type, user_registers, kernel_registers;
    bool ids_everywhere; /* every record ends with ids */
    uint32_t precise;
    const char *name; /* NULL: not told */
};

struct perf_pmu {
    uint32_t type;
    const char *name;
};

/* A file whose build-id is listed beside the records. */
struct perf_built {
    const char *path;
    uint8_t id[20];
    uint32_t id_bytes;
};

struct perf_file {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t data, data_end;       /* of the records */
    struct perf_unpacked unpacked; /* those of a compressed file, which `bytes` then are */
    struct arena arena;
    struct perf_kinds {
        VEC(struct perf_kind);
    } kinds;
    struct map ids; /* uint64_t; index i has the kind of_ids.at[i] */
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

/* The bytes must outlive the file. */
bool perf_file_open(struct perf_file *file, const void *bytes, size_t n, struct err *err);
void perf_file_release(struct perf_file *file);

/* NULL: no such PMU, or PMUs are not listed. */
const char *perf_file_pmu(const struct perf_file *file, uint32_t type);

/* A record in the file, and data after it that is not in its size. */
struct perf_span {
    uint64_t offset;
    uint32_t type, misc, bytes;
    uint64_t beyond; /* bytes of trace after it */
};

/* The record at *offset, which then is that of the next; false with err->kind ERR_NONE: the end. */
bool perf_file_next(const struct perf_file *file, uint64_t *offset, struct perf_span *ret_span,
                    struct err *err);
