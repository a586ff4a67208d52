#include "collect/perf/perf_record.h"

#include <linux/perf_event.h>
#include <string.h>

/* As they stand in records. */
_Static_assert(sizeof(struct perf_ids) == 32, "no padding");

/* What is left of a record. */
struct rest {
    const uint8_t *at;
    size_t n;
};

static struct rest body(const struct perf_event_header *record)
{
    return (struct rest){(const uint8_t *)(record + 1), record->size - sizeof *record};
}

static bool take(struct rest *rest, void *to, size_t n)
{
    if (n > rest->n)
        return false;
    memcpy(to, rest->at, n);
    rest->at += n;
    rest->n -= n;
    return true;
}

static bool take_u64(struct rest *rest, uint64_t *ret)
{
    return take(rest, ret, sizeof *ret);
}

static bool take_u32(struct rest *rest, uint32_t *ret)
{
    return take(rest, ret, sizeof *ret);
}

/* The ids behind all else, cut off. */
static bool take_ids(struct rest *rest, struct perf_ids *ret_ids)
{
    struct rest tail = {rest->at + rest->n - sizeof *ret_ids, sizeof *ret_ids};
    if (rest->n < sizeof *ret_ids)
        return false;
    rest->n -= sizeof *ret_ids;
    return take(&tail, ret_ids, sizeof *ret_ids);
}

/* The name that fills the rest; it ends with a zero inside it. */
static const char *rest_text(const struct rest *rest)
{
    return memchr(rest->at, 0, rest->n) ? (const char *)rest->at : NULL;
}

/* ---- samples */

static bool take_chain(struct rest *rest, struct perf_sample *sample)
{
    if (!take_u64(rest, &sample->n_chain) || sample->n_chain > rest->n / sizeof(uint64_t))
        return false;
    sample->chain = (const uint64_t *)(const void *)rest->at;
    rest->at += sample->n_chain * sizeof(uint64_t);
    rest->n -= sample->n_chain * sizeof(uint64_t);
    return true;
}

static bool take_registers(struct rest *rest, struct perf_sample *sample)
{
    uint64_t abi;
    if (!take_u64(rest, &abi))
        return false;
    if (abi == PERF_SAMPLE_REGS_ABI_NONE)
        return true;
    sample->has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
    return take(rest, sample->registers, sizeof sample->registers);
}

static bool take_stack(struct rest *rest, struct perf_sample *sample)
{
    uint64_t room, copied;
    if (!take_u64(rest, &room))
        return false;
    if (!room)
        return true;
    if (rest->n < sizeof copied || room > rest->n - sizeof copied)
        return false;
    sample->stack = rest->at;
    memcpy(&copied, rest->at + room, sizeof copied);
    sample->stack_bytes = copied < room ? copied : room;
    sample->stack_full = copied >= room;
    return true;
}

bool perf_record_sample(const struct perf_event_header *record, bool with_chain, bool with_stack,
                        struct perf_sample *ret_sample)
{
    struct rest rest = body(record);
    struct perf_sample sample = {.in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
                                              PERF_RECORD_MISC_USER};
    if (!take_u64(&rest, &sample.ip) || !take(&rest, &sample.ids, sizeof sample.ids) ||
        !take_u64(&rest, &sample.period) || (with_chain && !take_chain(&rest, &sample)) ||
        (with_stack && (!take_registers(&rest, &sample) || !take_stack(&rest, &sample))))
        return false;
    *ret_sample = sample;
    return true;
}

/* ---- everything else */

static bool take_file(struct rest *rest, bool with_build_id, struct perf_mapping *mapping)
{
    uint8_t told[24];
    uint32_t protection, flags;
    if (!take(rest, told, sizeof told))
        return false;
    if (with_build_id) {
        mapping->build_id_bytes = told[0] <= sizeof mapping->build_id ? told[0] : 0;
        memcpy(mapping->build_id, told + 4, sizeof mapping->build_id);
    } else {
        uint32_t device[2];
        memcpy(device, told, sizeof device);
        mapping->device = (uint64_t)device[0] << 32 | device[1];
        memcpy(&mapping->inode, told + 8, sizeof mapping->inode);
    }
    return take_u32(rest, &protection) && take_u32(rest, &flags);
}

bool perf_record_mapping(const struct perf_event_header *record, struct perf_mapping *ret_mapping)
{
    struct rest rest = body(record);
    struct perf_mapping mapping = {0};
    uint32_t pid, tid;
    if (!take_ids(&rest, &mapping.ids) || !take_u32(&rest, &pid) || !take_u32(&rest, &tid) ||
        !take_u64(&rest, &mapping.start) || !take_u64(&rest, &mapping.bytes) ||
        !take_u64(&rest, &mapping.offset) ||
        !take_file(&rest, record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID, &mapping))
        return false;
    mapping.ids.pid = pid;
    mapping.ids.tid = tid;
    mapping.path = rest_text(&rest);
    *ret_mapping = mapping;
    return mapping.path;
}

bool perf_record_task(const struct perf_event_header *record, struct perf_task *ret_task)
{
    struct rest rest = body(record);
    struct perf_task task;
    if (!take_ids(&rest, &task.ids) || !take_u32(&rest, &task.pid) ||
        !take_u32(&rest, &task.parent_pid) || !take_u32(&rest, &task.tid) ||
        !take_u32(&rest, &task.parent_tid))
        return false;
    *ret_task = task;
    return true;
}

bool perf_record_name(const struct perf_event_header *record, struct perf_name *ret_name)
{
    struct rest rest = body(record);
    struct perf_name name = {.exec = record->misc & PERF_RECORD_MISC_COMM_EXEC};
    if (!take_ids(&rest, &name.ids) || !take_u32(&rest, &name.pid) || !take_u32(&rest, &name.tid))
        return false;
    name.name = rest_text(&rest);
    *ret_name = name;
    return name.name;
}

bool perf_record_sample_ids(const struct perf_event_header *record, struct perf_ids *ret_ids)
{
    struct rest rest = body(record);
    uint64_t ip;
    return record->type == PERF_RECORD_SAMPLE && take_u64(&rest, &ip) &&
           take(&rest, ret_ids, sizeof *ret_ids);
}

bool perf_record_ids(const struct perf_event_header *record, struct perf_ids *ret_ids)
{
    struct rest rest = body(record);
    return take_ids(&rest, ret_ids);
}

uint64_t perf_record_lost(const struct perf_event_header *record)
{
    struct rest rest = body(record);
    uint64_t id, lost;
    bool whole = record->type == PERF_RECORD_LOST
                     ? take_u64(&rest, &id) && take_u64(&rest, &lost)
                     : record->type == PERF_RECORD_LOST_SAMPLES && take_u64(&rest, &lost);
    return whole ? lost : 0;
}

uint64_t perf_record_time(const struct perf_event_header *record)
{
    struct perf_ids ids;
    bool whole = record->type == PERF_RECORD_SAMPLE ? perf_record_sample_ids(record, &ids)
                                                    : perf_record_ids(record, &ids);
    return whole ? ids.time_ns : 0;
}
