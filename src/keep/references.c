#include "keep/references.h"

#include "program/elf/image.h"

#include <stdlib.h>

enum {
    NUMBER_BYTES = 16,
    LEA = 0x8d,         /* how code gets at its tables */
    TABLE_BYTES = 4096, /* of a table whose length the file does not state */
    OBJECT_BYTES_MAX = 1 << 16,
    INTERVAL_BYTES_MAX = 1 << 20,
};

void interval_add(struct references *references, uint64_t start, uint64_t bytes)
{
    size_t room;
    uint64_t extent = bytes < TABLE_BYTES
                          ? 0
                          : evidence_extent(&references->symbols->evidence, (struct svma){start});
    if (extent)
        bytes = extent < OBJECT_BYTES_MAX ? extent : OBJECT_BYTES_MAX;
    if (!image_bytes(references->image, (struct svma){start}, &room))
        return;
    /* A search for the beginning of a table looks at what stands before it. */
    uint64_t before = start & 7 ? start & 7 : 8;
    if (!image_bytes(references->image, (struct svma){start - before}, &room))
        before = 0;
    uint64_t all = before + bytes + 8;
    *vec_push(references->data) =
        (struct interval){start - before, start - before + (all < room ? all : room)};
}

static int interval_order(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

void intervals_settle(struct intervals *intervals)
{
    size_t n = 0;
    if (intervals->n)
        qsort(intervals->at, intervals->n, sizeof *intervals->at, interval_order);
    for (size_t i = 0; i < intervals->n; i++) {
        struct interval next = intervals->at[i], *last = n ? &intervals->at[n - 1] : NULL;
        if (last && next.start <= last->end && next.end - last->start <= INTERVAL_BYTES_MAX) {
            last->end = next.end > last->end ? next.end : last->end;
            continue;
        }
        if (last && next.start < last->end)
            next.start = last->end < next.end ? last->end : next.end;
        if (next.start < next.end)
            intervals->at[n++] = next;
    }
    intervals->n = n;
}

/* ---- code */

static uint64_t relative(const uint8_t *at, uint64_t next)
{
    int32_t offset;
    memcpy(&offset, at, sizeof offset);
    return next + (uint64_t)(int64_t)offset;
}

void references_init(struct references *references)
{
    const struct code_ranges *ranges = &references->symbols->ranges;
    if (!ranges->n)
        return;
    references->code_start = ranges->at[0].start.v;
    references->code_end = ranges->at[ranges->n - 1].start.v + ranges->at[ranges->n - 1].bytes;
}

/* Whether the target was looked at lately; now it was. */
static bool is_known(struct references *references, uint64_t target)
{
    uint64_t *seen = &references->seen[target * UINT64_C(0x9e3779b97f4a7c15) >> 52];
    if (*seen == target)
        return true;
    *seen = target;
    return false;
}

/* Of its own function nothing is marked: it is kept as a whole. */
static void name_note(struct references *references, function_id own, uint64_t target)
{
    if (target - references->code_start >= references->code_end - references->code_start ||
        is_known(references, target))
        return;
    function_id function = symbols_find(references->symbols, (struct svma){target});
    if (function != FUNCTION_NONE && function != own)
        references->named[function] = true;
}

/* A jump through a register, or through memory with an index: there may be a table. Others go
 * through a pointer, such as those of virtual functions. */
static bool jumps_indirectly(const uint8_t *code, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x20 &&
            (code[i + 1] >> 6 == 3 || (code[i + 1] & 7) == 4))
            return true;
    return false;
}

/* Whether one of its first entries leads into the function: relative to the table, or an address. A
 * string does not. */
static bool is_table(const struct references *references, function_id own, uint64_t table)
{
    enum { TRIED = 64 };
    const struct evidence *evidence = &references->symbols->evidence;
    for (uint64_t i = 0; i < TRIED; i++) {
        struct svma near, far;
        if (evidence_number(evidence, references->image, (struct svma){table + 4 * i}, 4,
                            &near.v) &&
            symbols_find(references->symbols, (struct svma){table + near.v}) == own)
            return true;
        if (i < TRIED / 2 &&
            evidence_number(evidence, references->image, (struct svma){table + 8 * i}, 8, &far.v) &&
            symbols_find(references->symbols, far) == own)
            return true;
    }
    return false;
}

static void data_note(struct references *references, function_id own, uint64_t target,
                      uint64_t bytes)
{
    struct svma at = {target};
    if (is_known(references, target))
        return;
    if (!image_executable(references->image, at) &&
        evidence_constant(&references->symbols->evidence, at))
        interval_add(references, target,
                     bytes < TABLE_BYTES || is_table(references, own, target) ? bytes
                                                                              : NUMBER_BYTES);
}

/* The operand of an instruction that refers to an address: relative to the next instruction, whose
 * immediates, if it has some, are not counted; or absolute with an index. */
static void operand_note(struct references *references, function_id own, const uint8_t *code,
                         size_t n, uint64_t at, bool tables)
{
    if ((code[0] & 0xc7) == 0x05 && n >= 5) {
        uint64_t target = relative(code + 1, at + 5);
        name_note(references, own, target);
        if (tables)
            data_note(references, own, target, code[-1] == LEA ? TABLE_BYTES : NUMBER_BYTES);
    } else if (tables && n >= 6 && (code[0] & 0xc7) == 0x04 && (code[1] & 7) == 5) {
        data_note(references, own, relative(code + 2, 0), TABLE_BYTES);
    }
}

/* Most branches stay in their range. */
static void branch_note(struct references *references, const struct code_range *range,
                        uint64_t target)
{
    if (target - range->start.v >= range->bytes)
        name_note(references, range->function, target);
}

static void range_read(struct references *references, const struct code_range *range, bool tables)
{
    size_t n;
    const uint8_t *code = image_bytes(references->image, range->start, &n);
    function_id own = range->function;
    n = !code ? 0 : n < range->bytes ? n : range->bytes;
    for (size_t i = 0; i + 1 < n; i++) {
        uint64_t at = range->start.v + i;
        uint8_t byte = code[i], second = code[i + 1];
        if ((byte == 0xe8 || byte == 0xe9) && i + 5 <= n)
            branch_note(references, range, relative(code + i + 1, at + 5));
        else if (byte == 0x0f && (second & 0xf0) == 0x80 && i + 6 <= n)
            branch_note(references, range, relative(code + i + 2, at + 6));
        else if (i && ((byte & 0xc7) == 0x05 || (tables && (byte & 0xc7) == 0x04)))
            operand_note(references, own, code + i, n - i, at, tables);
        else if (byte == 0xeb || (byte & 0xf0) == 0x70) {
            branch_note(references, range, at + 2 + (uint64_t)(int64_t)(int8_t)second);
        }
    }
}

void references_find(struct references *references, function_id function)
{
    const struct code_ranges *ranges = &references->symbols->ranges;
    uint32_t first = references->symbols->functions.at[function].first_range;
    bool tables = false;
    for (uint32_t r = first; r != RANGE_NONE && !tables; r = ranges->at[r].next) {
        size_t room;
        const uint8_t *code = image_bytes(references->image, ranges->at[r].start, &room);
        uint64_t bytes = ranges->at[r].bytes;
        tables = code && jumps_indirectly(code, room < bytes ? room : bytes);
    }
    for (uint32_t r = first; r != RANGE_NONE; r = ranges->at[r].next)
        range_read(references, &ranges->at[r], tables);
}
