/* Decodes records of a perf.data: their event says which fields they have. Every length is checked;
 * pointers lead into the file. */
#pragma once

#include "import/perf_file.h"

struct perf_seen {
    const struct perf_kind *kind;
    uint64_t has; /* PERF_SAMPLE_*: fields that are set; others are 0 */
    uint64_t ip, time_ns, address, physical, period, weight, data_source;
    uint32_t pid, tid, cpu;
    uint32_t mode;        /* PERF_RECORD_MISC_USER and so on */
    const uint8_t *chain; /* uint64_t each, maybe unaligned: innermost first, with context marks */
    uint64_t n_chain;
    const uint8_t
        *branches; /* three uint64_t each, maybe unaligned: source, target, flags; newest first */
    uint64_t n_branches;
    const uint8_t *raw;
    uint32_t raw_bytes;
    /* Counters of a group (`-e '{a,b}:S'`), of which only the first makes samples. */
    const uint8_t *counters;
    uint64_t n_counters;
    uint32_t counter_words; /* of each: its value, its id, maybe more */
};

struct perf_counter {
    const struct perf_kind *kind; /* NULL: not known */
    uint64_t id, value;           /* value: since the recording began */
};
struct perf_counter perf_seen_counter(const struct perf_file *file, const struct perf_seen *seen,
                                      uint64_t index);

/* False: it does not match its event, or the event is not known. */
bool perf_seen_read(const struct perf_file *file, const struct perf_span *span,
                    struct perf_seen *ret_seen);
/* Of any record; 0: none. */
uint64_t perf_record_when(const struct perf_file *file, const struct perf_span *span);

struct perf_mapped {
    uint32_t pid;
    uint64_t start, bytes, offset;
    bool code; /* executable */
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* 0: not told */
    const char *path;
};
bool perf_mapped_read(const struct perf_file *file, const struct perf_span *span,
                      struct perf_mapped *ret_map);

struct perf_birth {
    uint32_t pid, parent_pid, tid;
};
bool perf_birth_read(const struct perf_file *file, const struct perf_span *span,
                     struct perf_birth *ret_birth);

struct perf_called {
    uint32_t pid, tid;
    bool exec;
    const char *name;
};
bool perf_called_read(const struct perf_file *file, const struct perf_span *span,
                      struct perf_called *ret_called);

/* A part of a trace; its bytes follow the record. */
struct perf_trace {
    const uint8_t *bytes;
    uint64_t n, offset; /* offset: in the trace of its processor or thread */
    uint32_t tid, cpu;  /* UINT32_MAX: none */
};
bool perf_trace_read(const struct perf_file *file, const struct perf_span *span,
                     struct perf_trace *ret_trace);
