#include "import/perf_record.h"

#include "base/cursor.h"

#include <linux/perf_event.h>

enum { RECORD_BYTES = 8, BRANCH_BYTES = 24, BRANCH_INDEX = 1 << 17, BRANCH_COUNTERS = 1 << 19 };

static struct cursor body_of(const struct perf_file *file, const struct perf_span *span)
{
    return (struct cursor){file->bytes + span->offset + RECORD_BYTES,
                           file->bytes + span->offset + span->bytes, false};
}

/* ---- which event */

static const struct perf_kind *kind_of_id(const struct perf_file *file, uint64_t id)
{
    uint32_t index = map_find(&file->ids, &id);
    return index == MAP_NONE ? NULL : &file->kinds.at[file->of_ids.at[index]];
}

/* How many words stand before the id of a sample, or behind that of another record. */
static unsigned words_of(uint64_t type, uint64_t which)
{
    return (unsigned)__builtin_popcountll(type & which);
}

static const struct perf_kind *kind_of(const struct perf_file *file, const struct perf_span *span)
{
    if (!file->kinds.n)
        return NULL;
    const struct perf_kind *first = &file->kinds.at[0];
    struct cursor cursor = body_of(file, span);
    uint64_t type = first->sample_type;
    bool sample = span->type == PERF_RECORD_SAMPLE;
    if (file->kinds.n == 1)
        return first;
    if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
        return NULL;
    uint64_t before = 0;
    if (sample && !(type & PERF_SAMPLE_IDENTIFIER))
        before =
            words_of(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
    if (!sample) {
        uint64_t words = cursor_room(&cursor) / 8;
        uint64_t behind = type & PERF_SAMPLE_IDENTIFIER
                              ? 1
                              : 1 + words_of(type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
        if (!first->ids_everywhere || words < behind)
            return first;
        before = words - behind;
    }
    cursor_skip(&cursor, 8 * before);
    uint64_t id = cursor_u64(&cursor);
    const struct perf_kind *kind = kind_of_id(file, id);
    /* What perf made up itself has id 0. */
    return kind || sample ? kind : first;
}

/* ---- samples */

static void counters_take(struct cursor *cursor, uint64_t format, struct perf_seen *seen)
{
    uint64_t n = 1;
    unsigned times =
        words_of(format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    unsigned each = 1 + words_of(format, PERF_FORMAT_ID | UINT64_C(1) << 4);
    if (format & PERF_FORMAT_GROUP)
        n = cursor_u64(cursor);
    if (n > cursor_room(cursor) / 8) {
        cursor->bad = true;
        return;
    }
    bool group = format & PERF_FORMAT_GROUP && format & PERF_FORMAT_ID;
    seen->n_counters = group ? n : 0;
    seen->counter_words = each;
    cursor_skip(cursor, (uint64_t)8 * times);
    seen->counters = cursor->at;
    cursor_skip(cursor, 8 * n * each);
}

struct perf_counter perf_seen_counter(const struct perf_file *file, const struct perf_seen *seen,
                                      uint64_t index)
{
    struct perf_counter counter;
    const uint8_t *at = seen->counters + 8 * index * seen->counter_words;
    memcpy(&counter.value, at, sizeof counter.value);
    memcpy(&counter.id, at + 8, sizeof counter.id);
    counter.kind = kind_of_id(file, counter.id);
    return counter;
}

static void chain_take(struct cursor *cursor, struct perf_seen *seen)
{
    seen->n_chain = cursor_u64(cursor);
    seen->chain = cursor->at;
    if (seen->n_chain > cursor_room(cursor) / 8)
        cursor->bad = true;
    else
        cursor_skip(cursor, 8 * seen->n_chain);
}

static void raw_take(struct cursor *cursor, struct perf_seen *seen)
{
    seen->raw_bytes = cursor_u32(cursor);
    seen->raw = cursor->at;
    cursor_skip(cursor, seen->raw_bytes);
    /* The length and what it tells fill whole words. */
    cursor_skip(cursor, (8 - (seen->raw_bytes + 4) % 8) % 8);
}

static void branches_take(struct cursor *cursor, uint64_t branch_type, struct perf_seen *seen)
{
    uint64_t n = cursor_u64(cursor);
    uint64_t counter_bytes = branch_type & BRANCH_COUNTERS ? 8 : 0;
    if (branch_type & BRANCH_INDEX)
        cursor_skip(cursor, 8);
    seen->branches = cursor->at;
    seen->n_branches = n;
    if (n > cursor_room(cursor) / (BRANCH_BYTES + counter_bytes))
        cursor->bad = true;
    else
        cursor_skip(cursor, n * (BRANCH_BYTES + counter_bytes));
}

static void registers_skip(struct cursor *cursor, uint64_t mask)
{
    if (cursor_u64(cursor))
        cursor_skip(cursor, 8 * words_of(mask, UINT64_MAX));
}

static void stack_skip(struct cursor *cursor)
{
    uint64_t n = cursor_u64(cursor);
    cursor_skip(cursor, n);
    if (n)
        cursor_skip(cursor, 8);
}

static void words_take(struct cursor *cursor, uint64_t has, struct perf_seen *seen)
{
    if (has & PERF_SAMPLE_IDENTIFIER)
        cursor_skip(cursor, 8);
    if (has & PERF_SAMPLE_IP)
        seen->ip = cursor_u64(cursor);
    if (has & PERF_SAMPLE_TID) {
        seen->pid = cursor_u32(cursor);
        seen->tid = cursor_u32(cursor);
    }
    if (has & PERF_SAMPLE_TIME)
        seen->time_ns = cursor_u64(cursor);
    if (has & PERF_SAMPLE_ADDR)
        seen->address = cursor_u64(cursor);
    cursor_skip(cursor, 8 * words_of(has, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
    if (has & PERF_SAMPLE_CPU)
        seen->cpu = (uint32_t)cursor_u64(cursor);
    if (has & PERF_SAMPLE_PERIOD)
        seen->period = cursor_u64(cursor);
}

bool perf_seen_read(const struct perf_file *file, const struct perf_span *span,
                    struct perf_seen *ret_seen)
{
    struct cursor cursor = body_of(file, span);
    struct perf_seen seen = {.kind = kind_of(file, span),
                             .mode = span->misc & PERF_RECORD_MISC_CPUMODE_MASK};
    if (!seen.kind)
        return false;
    uint64_t has = seen.has = seen.kind->sample_type;
    words_take(&cursor, has, &seen);
    if (has & PERF_SAMPLE_READ)
        counters_take(&cursor, seen.kind->read_format, &seen);
    if (has & PERF_SAMPLE_CALLCHAIN)
        chain_take(&cursor, &seen);
    if (has & PERF_SAMPLE_RAW)
        raw_take(&cursor, &seen);
    if (has & PERF_SAMPLE_BRANCH_STACK)
        branches_take(&cursor, seen.kind->branch_type, &seen);
    if (has & PERF_SAMPLE_REGS_USER)
        registers_skip(&cursor, seen.kind->user_registers);
    if (has & PERF_SAMPLE_STACK_USER)
        stack_skip(&cursor);
    if (has & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
        seen.weight = cursor_u64(&cursor);
    if (has & PERF_SAMPLE_DATA_SRC)
        seen.data_source = cursor_u64(&cursor);
    if (has & PERF_SAMPLE_TRANSACTION)
        cursor_skip(&cursor, 8);
    if (has & PERF_SAMPLE_REGS_INTR)
        registers_skip(&cursor, seen.kind->kernel_registers);
    if (has & PERF_SAMPLE_PHYS_ADDR)
        seen.physical = cursor_u64(&cursor);
    if (cursor.bad)
        return false;
    *ret_seen = seen;
    return true;
}

uint64_t perf_record_when(const struct perf_file *file, const struct perf_span *span)
{
    const struct perf_kind *kind = kind_of(file, span);
    struct cursor cursor = body_of(file, span);
    if (!kind || !(kind->sample_type & PERF_SAMPLE_TIME) || span->type >= 64)
        return 0;
    uint64_t type = kind->sample_type, skip;
    if (span->type == PERF_RECORD_SAMPLE) {
        skip = words_of(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    } else {
        uint64_t words = cursor_room(&cursor) / 8;
        uint64_t behind = 1 + words_of(type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                                                 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
        if (!kind->ids_everywhere || words < behind)
            return 0;
        skip = words - behind;
    }
    cursor_skip(&cursor, 8 * skip);
    return cursor_u64(&cursor);
}

/* ---- everything else */

bool perf_mapped_read(const struct perf_file *file, const struct perf_span *span,
                      struct perf_mapped *ret_map)
{
    struct cursor cursor = body_of(file, span);
    struct perf_mapped map = {.pid = cursor_u32(&cursor),
                              .code = !(span->misc & PERF_RECORD_MISC_MMAP_DATA)};
    cursor_skip(&cursor, 4);
    map.start = cursor_u64(&cursor);
    map.bytes = cursor_u64(&cursor);
    map.offset = cursor_u64(&cursor);
    if (span->type == PERF_RECORD_MMAP2) {
        struct cursor told = cursor;
        cursor_skip(&cursor, 24);
        if (!cursor.bad && span->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
            map.build_id_bytes = told.at[0] <= sizeof map.build_id ? told.at[0] : 0;
            memcpy(map.build_id, told.at + 4, sizeof map.build_id);
        }
        map.code = cursor_u32(&cursor) & 4; /* PROT_EXEC */
        cursor_skip(&cursor, 4);
    }
    map.path = cursor_string(&cursor);
    if (cursor.bad || !map.path || map.bytes > UINT64_MAX - map.start)
        return false;
    *ret_map = map;
    return true;
}

bool perf_birth_read(const struct perf_file *file, const struct perf_span *span,
                     struct perf_birth *ret_birth)
{
    struct cursor cursor = body_of(file, span);
    struct perf_birth birth = {.pid = cursor_u32(&cursor)};
    birth.parent_pid = cursor_u32(&cursor);
    birth.tid = cursor_u32(&cursor);
    if (cursor.bad)
        return false;
    *ret_birth = birth;
    return true;
}

bool perf_called_read(const struct perf_file *file, const struct perf_span *span,
                      struct perf_called *ret_called)
{
    struct cursor cursor = body_of(file, span);
    struct perf_called called = {.pid = cursor_u32(&cursor),
                                 .exec = span->misc & PERF_RECORD_MISC_COMM_EXEC};
    called.tid = cursor_u32(&cursor);
    called.name = cursor_string(&cursor);
    if (cursor.bad)
        return false;
    *ret_called = called;
    return true;
}

bool perf_trace_read(const struct perf_file *file, const struct perf_span *span,
                     struct perf_trace *ret_trace)
{
    struct cursor cursor = body_of(file, span);
    struct perf_trace trace = {.bytes = file->bytes + span->offset + span->bytes};
    trace.n = cursor_u64(&cursor);
    trace.offset = cursor_u64(&cursor);
    cursor_skip(&cursor, 12); /* reference, index */
    trace.tid = cursor_u32(&cursor);
    trace.cpu = cursor_u32(&cursor);
    if (cursor.bad || trace.n != span->beyond)
        return false;
    *ret_trace = trace;
    return true;
}
