#include "profile/file/code_reader.h"

#include "base/err.h"
#include "wire/varint.h"

enum { INSTRUCTION_BYTES_MAX = SHAPE_BYTES_MAX + 1 + 1 + 4 + SHAPE_IMM_MAX };

static uint64_t take_number(struct cursor *cursor)
{
    uint64_t number = 0;
    cursor->bad |= !varint_get(&cursor->at, cursor->end, &number);
    return number;
}

static void take_bytes(struct cursor *cursor, uint8_t *to, size_t n)
{
    if (n && cursor_has(cursor, n)) {
        memcpy(to, cursor->at, n);
        cursor->at += n;
    }
}

static uint32_t take_address(struct cursor *cursor)
{
    return __builtin_bswap32(cursor_u32(cursor));
}

/* ---- shapes */

static bool shape_is_sound(const struct code_shape *shape)
{
    switch (shape->branch) {
    case BRANCH_NONE: break;
    case BRANCH_CALL:
        if (shape->imm_bytes != 4)
            return false;
        break;
    case BRANCH_JUMP:
        if (shape->imm_bytes != 1 && shape->imm_bytes != 4)
            return false;
        break;
    default: return false;
    }
    return shape->n && shape->n <= SHAPE_BYTES_MAX && shape->imm_bytes <= SHAPE_IMM_MAX;
}

bool code_reader_open(struct code_reader *reader, struct err *err)
{
    struct cursor *cursor = &reader->columns[COLUMN_SHAPES];
    while (cursor_room(cursor)) {
        uint8_t head = cursor_u8(cursor);
        struct code_shape shape = {.n = head & 15,
                                   .has_modrm = head >> 4 & 1,
                                   .branch = head >> 5,
                                   .imm_bytes = cursor_u8(cursor)};
        if (!shape_is_sound(&shape))
            return err_set(err, ERR_FORMAT, "shape %zu of instructions makes no sense",
                           reader->shapes.n);
        take_bytes(cursor, shape.bytes, shape.n);
        *vec_push(&reader->shapes) = shape;
    }
    reader->apart = take_number(&reader->columns[COLUMN_TARGETS]);
    if (cursor->bad || reader->columns[COLUMN_TARGETS].bad)
        return err_set(err, ERR_FORMAT, "columns of code are cut");
    return true;
}

void code_reader_release(struct code_reader *reader)
{
    vec_release(&reader->shapes);
    vec_release(&reader->targets);
    vec_release(&reader->jumps);
}

size_t code_reader_left(const struct code_reader *reader)
{
    return cursor_room(&reader->columns[COLUMN_SHAPE]) * INSTRUCTION_BYTES_MAX + 1;
}

/* ---- instructions */

static const struct code_shape *shape_next(struct code_reader *reader, uint64_t *ret_number)
{
    uint64_t number = cursor_u8(&reader->columns[COLUMN_SHAPE]);
    if (number == SHAPE_ESCAPE)
        number += take_number(&reader->columns[COLUMN_FURTHER]);
    *ret_number = number;
    return number < reader->shapes.n ? &reader->shapes.at[number] : NULL;
}

static void target_note(struct code_reader *reader, size_t at)
{
    if (reader->apart--)
        return;
    *vec_push(&reader->targets) = (uint32_t)at;
    reader->apart = take_number(&reader->columns[COLUMN_TARGETS]);
}

/* Fields that depend on where the instruction ends. */
struct ending {
    uint8_t *data, *call; /* NULL: it has none */
};

static uint8_t *modrm_take(struct code_reader *reader, struct cursor *own, uint8_t *at,
                           struct ending *ending)
{
    struct cursor *columns = reader->columns;
    uint8_t modrm = cursor_u8(own), sib = 0;
    *at++ = modrm;
    if (shape_has_sib(modrm))
        *at++ = sib = cursor_u8(&columns[COLUMN_SIB]);
    struct shape_layout layout = shape_layout(modrm, sib);
    if (layout.disp_bytes == 1) {
        *at = cursor_u8(&columns[layout.disp_column]);
    } else if (layout.disp_bytes && layout.disp_column == COLUMN_DATA) {
        ending->data = at;
    } else if (layout.disp_bytes) {
        at[0] = cursor_u8(&columns[COLUMN_DISP32_LOW]);
        at[1] = cursor_u8(&columns[COLUMN_DISP32_NEXT]);
        take_bytes(&columns[COLUMN_DISP32_HIGH], at + 2, 2);
    }
    return at + layout.disp_bytes;
}

static void put_relative(uint8_t *at, uint32_t target, uint64_t end)
{
    uint32_t relative = target - (uint32_t)end;
    memcpy(at, &relative, sizeof relative);
}

/* Writes up to INSTRUCTION_BYTES_MAX bytes to `to`; returns how many, 0: it makes no sense. */
static size_t instruction_take(struct code_reader *reader, uint64_t address, uint8_t *to,
                               uint32_t offset)
{
    uint64_t number;
    const struct code_shape *shape = shape_next(reader, &number);
    struct ending ending = {0};
    if (!shape)
        return 0;
    struct cursor *own = &reader->columns[shape_columns((unsigned)number)];
    memcpy(to, shape->bytes, shape->n);
    uint8_t *at = to + shape->n;
    if (shape->has_modrm)
        at = modrm_take(reader, own, at, &ending);
    if (shape->branch == BRANCH_CALL)
        ending.call = at;
    else if (shape->branch == BRANCH_NONE)
        take_bytes(&own[1], at, shape->imm_bytes);
    at += shape->imm_bytes;
    size_t n = (size_t)(at - to);
    if (ending.data)
        put_relative(ending.data, take_address(&reader->columns[COLUMN_DATA]), address + n);
    if (ending.call)
        put_relative(ending.call, take_address(&reader->columns[COLUMN_CALLS]), address + n);
    if (shape->branch == BRANCH_JUMP)
        *vec_push(&reader->jumps) =
            (struct reader_jump){offset + (uint32_t)n, (uint32_t)reader->targets.n,
                                 take_number(&own[1]), shape->imm_bytes};
    return n;
}

/* ---- jumps */

static bool jumps_fill(struct code_reader *reader, uint64_t address, uint8_t *to)
{
    for (size_t i = 0; i < reader->jumps.n; i++) {
        const struct reader_jump *jump = &reader->jumps.at[i];
        uint64_t end = address + jump->end, target;
        if (jump->apart) {
            uint64_t index = jump->before + varint_unfold(jump->apart - 1);
            if (index >= reader->targets.n)
                return false;
            target = address + reader->targets.at[index];
        } else {
            target = take_address(&reader->columns[COLUMN_JUMPS_OUT]);
        }
        uint32_t relative = (uint32_t)(target - end);
        memcpy(to + jump->end - jump->bytes, &relative, jump->bytes);
    }
    return true;
}

static bool is_bad(const struct code_reader *reader)
{
    bool bad = false;
    for (size_t i = 0; i < CODE_COLUMNS; i++)
        bad |= reader->columns[i].bad;
    return bad;
}

bool code_reader_take(struct code_reader *reader, uint64_t address, uint8_t *to, size_t n,
                      struct err *err)
{
    reader->targets.n = reader->jumps.n = 0;
    for (size_t at = 0; at < n;) {
        uint8_t bytes[INSTRUCTION_BYTES_MAX] = {0};
        target_note(reader, at);
        size_t length = instruction_take(reader, address + at, bytes, (uint32_t)at);
        if (!length || length > n - at)
            return err_set(err, ERR_FORMAT, "an instruction at byte %zu of %zu makes no sense", at,
                           n);
        memcpy(to + at, bytes, length);
        at += length;
    }
    if (!jumps_fill(reader, address, to) || is_bad(reader))
        return err_set(err, ERR_FORMAT, "columns of code are cut");
    return true;
}
