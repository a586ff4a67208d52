/* Records as the kernel would write them, for tests. */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>

enum { RECORD_CPU = 3, RECORD_EVENT = 70 }; /* that all records come from */

struct record {
    _Alignas(8) uint8_t bytes[4096];
    size_t n;
};

static inline void record_begin(struct record *record, uint32_t type, uint16_t misc)
{
    struct perf_event_header head = {.type = type, .misc = misc};
    memset(record, 0, sizeof *record);
    memcpy(record->bytes, &head, sizeof head);
    record->n = sizeof head;
}

static inline void record_put(struct record *record, const void *bytes, size_t n)
{
    memcpy(record->bytes + record->n, bytes, n);
    record->n += n;
}

static inline void record_u32(struct record *record, uint32_t value)
{
    record_put(record, &value, sizeof value);
}

static inline void record_u64(struct record *record, uint64_t value)
{
    record_put(record, &value, sizeof value);
}

/* With at least one zero behind it, and to a multiple of eight. */
static inline void record_text(struct record *record, const char *text)
{
    record_put(record, text, strlen(text) + 1);
    record->n = (record->n + 7) & ~(size_t)7;
}

static inline const struct perf_event_header *record_end(struct record *record)
{
    struct perf_event_header *head = (struct perf_event_header *)(void *)record->bytes;
    head->size = (uint16_t)record->n;
    return head;
}

static inline const struct perf_event_header *record_ids(struct record *record, uint32_t pid,
                                                         uint32_t tid, uint64_t time_ns)
{
    record_u32(record, pid);
    record_u32(record, tid);
    record_u64(record, time_ns);
    record_u64(record, RECORD_EVENT);
    record_u64(record, RECORD_CPU);
    return record_end(record);
}

static inline const struct perf_event_header *record_mapping(struct record *record, uint32_t pid,
                                                             uint64_t start, uint64_t bytes,
                                                             uint64_t offset, const char *path,
                                                             uint64_t time_ns)
{
    record_begin(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    record_u32(record, pid);
    record_u32(record, pid);
    record_u64(record, start);
    record_u64(record, bytes);
    record_u64(record, offset);
    for (int i = 0; i < 4; i++) /* device, inode, generation, protection and flags */
        record_u64(record, 0);
    record_text(record, path);
    return record_ids(record, pid, pid, time_ns);
}

static inline const struct perf_event_header *record_task(struct record *record, uint32_t type,
                                                          uint32_t pid, uint32_t parent_pid,
                                                          uint32_t tid, uint32_t parent_tid,
                                                          uint64_t time_ns)
{
    record_begin(record, type, 0);
    record_u32(record, pid);
    record_u32(record, parent_pid);
    record_u32(record, tid);
    record_u32(record, parent_tid);
    record_u64(record, time_ns);
    return record_ids(record, parent_pid, parent_tid, time_ns);
}

static inline const struct perf_event_header *record_name(struct record *record, uint32_t pid,
                                                          uint32_t tid, const char *name, int exec,
                                                          uint64_t time_ns)
{
    record_begin(record, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
    record_u32(record, pid);
    record_u32(record, tid);
    record_text(record, name);
    return record_ids(record, pid, tid, time_ns);
}

static inline const struct perf_event_header *record_switch(struct record *record, uint32_t pid,
                                                            uint32_t tid, int out, uint64_t time_ns)
{
    record_begin(record, PERF_RECORD_SWITCH, out ? PERF_RECORD_MISC_SWITCH_OUT : 0);
    return record_ids(record, pid, tid, time_ns);
}

/* A sample in user mode; its stack has nothing but zeros, so it is one frame. In the kernel it has
 * `chain` instead, ends with 0. */
static inline const struct perf_event_header *record_sample(struct record *record, uint32_t pid,
                                                            uint32_t tid, uint64_t ip,
                                                            uint64_t period, const uint64_t *chain,
                                                            uint64_t time_ns)
{
    enum { STACK = 64, REGISTERS = 17, RIP = 8 };
    uint64_t n = 0;
    record_begin(record, PERF_RECORD_SAMPLE,
                 chain ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
    record_u64(record, chain ? chain[0] : ip);
    record_u32(record, pid);
    record_u32(record, tid);
    record_u64(record, time_ns);
    record_u64(record, RECORD_EVENT);
    record_u64(record, RECORD_CPU);
    record_u64(record, period);
    while (chain && chain[n])
        n++;
    record_u64(record, chain ? n + 1 : 0);
    if (chain)
        record_u64(record, PERF_CONTEXT_KERNEL);
    for (uint64_t i = 0; i < n; i++)
        record_u64(record, chain[i]);
    record_u64(record, PERF_SAMPLE_REGS_ABI_64);
    for (int i = 0; i < REGISTERS; i++)
        record_u64(record, i == RIP ? ip : i == RIP - 1 ? 0x7ffff000 : 0);
    record_u64(record, STACK);
    for (int i = 0; i < STACK / 8; i++)
        record_u64(record, 0);
    record_u64(record, STACK);
    return record_end(record);
}
