/* Decodes one record of the kernel. Every length is checked before use; pointers lead into the
 * record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_header;

/* Fields at the end of every other record, the same of all events: they may share a ring. */
#define PERF_RECORD_IDENTIFIED                                                                     \
    (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU)
/* Fields of all samples: the place, these, the period. */
#define PERF_RECORD_SAMPLED (PERF_SAMPLE_IP | PERF_RECORD_IDENTIFIED | PERF_SAMPLE_PERIOD)
/* rax to rip and r8 to r15, in the kernel's numbering: no flags, no segments. */
#define PERF_RECORD_REGISTERS 0xff01ffull
enum { PERF_RECORD_REGISTERS_N = 17 };

/* In the kernel's order. */
struct perf_ids {
    uint32_t pid, tid;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t event;   /* the kernel's number: of the one that was opened, if it was inherited */
    uint32_t cpu, reserved;
};

struct perf_sample {
    struct perf_ids ids;
    uint64_t ip, period;
    bool in_kernel;
    const uint64_t *chain; /* the kernel's part, innermost first, with context marks */
    uint64_t n_chain;
    bool has_registers;
    uint64_t
        registers[PERF_RECORD_REGISTERS_N]; /* in the kernel's order of PERF_RECORD_REGISTERS */
    const uint8_t *stack;                   /* from rsp upwards */
    uint64_t stack_bytes;
    bool stack_full; /* the copy was truncated */
};

struct perf_mapping {
    struct perf_ids ids;
    uint64_t start, bytes, offset;
    uint64_t device, inode;
    uint32_t build_id_bytes; /* 0: not known */
    uint8_t build_id[20];
    const char *path;
};

/* A fork or the end of a thread. */
struct perf_task {
    struct perf_ids ids; /* of the thread that did it; the time */
    uint32_t pid, parent_pid, tid, parent_tid;
};

struct perf_name {
    struct perf_ids ids;
    uint32_t pid, tid;
    bool exec;
    const char *name;
};

/* False: the record is malformed. `with_chain`, `with_stack`: what samples were requested to have.
 */
bool perf_record_sample(const struct perf_event_header *record, bool with_chain, bool with_stack,
                        struct perf_sample *ret_sample);
bool perf_record_mapping(const struct perf_event_header *record, struct perf_mapping *ret_mapping);
bool perf_record_task(const struct perf_event_header *record, struct perf_task *ret_task);
bool perf_record_name(const struct perf_event_header *record, struct perf_name *ret_name);
/* The same of its first fields alone; false for other records. */
bool perf_record_sample_ids(const struct perf_event_header *record, struct perf_ids *ret_ids);
/* Of a record other than a sample. */
bool perf_record_ids(const struct perf_event_header *record, struct perf_ids *ret_ids);
/* How many records the kernel dropped; 0 for other records. */
uint64_t perf_record_lost(const struct perf_event_header *record);
/* Of any record; 0: none. */
uint64_t perf_record_time(const struct perf_event_header *record);
