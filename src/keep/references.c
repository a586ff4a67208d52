#include "keep/references.h"

#include "program/elf/image.h"

#include <stdlib.h>
#include <string.h>

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

void interval_add_code(struct references *references, uint64_t start, uint64_t bytes)
{
    size_t room;
    if (image_bytes(references->image, (struct svma){start}, &room))
        *vec_push(references->data) =
            (struct interval){start, start + (bytes < room ? bytes : room)};
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
    const uint8_t *end = code + n, *at = code;
    while (end - at > 1 && (at = memchr(at, 0xff, (size_t)(end - at - 1)))) {
        at++;
        if ((*at & 0x38) == 0x20 && (*at >> 6 == 3 || (*at & 7) == 4))
            return true;
    }
    return false;
}

/* What a byte may be: most are nothing that refers to anything, and are passed over quickly. */
enum may_be {
    BE_NEAR = 1, /* call, jmp */
    BE_TWO = 2,  /* the first of jcc */
    BE_HERE = 4, /* ModRM, relative to the instruction */
    BE_INDEX = 8,
    BE_SHORT = 16, /* jmp, jcc */
};
#define FOUR(x) x, x, x, x
#define MODRM 0, 0, 0, 0, BE_INDEX, BE_HERE, 0, 0
static const uint8_t may_be[256] = {MODRM,
                                    0,
                                    0,
                                    0,
                                    0,
                                    BE_INDEX,
                                    BE_HERE,
                                    0,
                                    BE_TWO,
                                    MODRM,
                                    MODRM,
                                    MODRM,
                                    MODRM,
                                    MODRM,
                                    MODRM,
                                    [0x70] = FOUR(BE_SHORT),
                                    FOUR(BE_SHORT),
                                    FOUR(BE_SHORT),
                                    FOUR(BE_SHORT),
                                    [0xe8] = BE_NEAR,
                                    BE_NEAR,
                                    [0xeb] = BE_SHORT};

static bool leads_into(const struct references *references, function_id own, uint64_t at,
                       unsigned bytes, uint64_t base)
{
    uint64_t number;
    return evidence_number(&references->symbols->evidence, references->image, (struct svma){at},
                           bytes, &number) &&
           symbols_find(references->symbols, (struct svma){base + number}) == own;
}

/* How far it has entries that lead into the function: relative to the table, or addresses. A string
 * has none. Entries that lead elsewhere may stand between them, and a few behind them. */
static uint64_t table_reach(const struct references *references, function_id own, uint64_t table)
{
    enum { BETWEEN_BYTES = 256, BEHIND_BYTES = 64 };
    uint64_t reach = 0;
    for (uint64_t at = 0; at < TABLE_BYTES && at < reach + BETWEEN_BYTES; at += 4) {
        if (leads_into(references, own, table + at, 4, table))
            reach = at + 4;
        if (at % 8 == 0 && leads_into(references, own, table + at, 8, 0))
            reach = at + 8;
    }
    return reach ? reach + BEHIND_BYTES : 0;
}

static void data_note(struct references *references, function_id own, uint64_t target,
                      uint64_t bytes)
{
    struct svma at = {target};
    if (is_known(references, target) || image_executable(references->image, at) ||
        !evidence_constant(&references->symbols->evidence, at))
        return;
    if (bytes == TABLE_BYTES) {
        uint64_t reach = table_reach(references, own, target);
        uint64_t extent = reach ? evidence_extent(&references->symbols->evidence, at) : 0;
        bytes = extent ? extent : reach ? reach : NUMBER_BYTES;
    }
    interval_add(references, target, bytes < OBJECT_BYTES_MAX ? bytes : OBJECT_BYTES_MAX);
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
    const uint8_t any = BE_NEAR | BE_TWO | BE_HERE | (tables ? BE_INDEX : 0);
    for (size_t i = 0; i + 1 < n; i++) {
        /* From its middle a short jump cannot leave the range. */
        uint8_t sought = any | (i < 128 || i + 130 > n ? BE_SHORT : 0);
        uint8_t kind = may_be[code[i]] & sought;
        if (!kind)
            continue;
        uint64_t at = range->start.v + i;
        if (kind == BE_NEAR && i + 5 <= n)
            branch_note(references, range, relative(code + i + 1, at + 5));
        else if (kind == BE_TWO && (code[i + 1] & 0xf0) == 0x80 && i + 6 <= n)
            branch_note(references, range, relative(code + i + 2, at + 6));
        else if (i && kind & (BE_HERE | BE_INDEX))
            operand_note(references, own, code + i, n - i, at, tables);
        else if (kind == BE_SHORT) {
            branch_note(references, range, at + 2 + (uint64_t)(int64_t)(int8_t)code[i + 1]);
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
