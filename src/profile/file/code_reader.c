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

static struct cursor *targets(struct code_reader *reader)
{
    return &reader->columns[reader->old ? OLD_TARGETS : COLUMN_TARGETS];
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
    reader->apart = take_number(targets(reader));
    bool sound = reader->old || fields_read(&reader->fields, reader->columns[COLUMN_FIELDS]);
    if (!sound || cursor->bad || targets(reader)->bad)
        return err_set(err, ERR_FORMAT, "columns of code are cut");
    return true;
}

void code_reader_release(struct code_reader *reader)
{
    fields_release(&reader->fields);
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
    reader->apart = take_number(targets(reader));
}

/* Fields that depend on where the instruction ends. */
struct ending {
    uint8_t *data, *call; /* NULL: it has none */
    uint32_t to_data, to_call;
};

/* One instruction of a file of version 2. */
static void old_displacement(struct cursor *columns, struct shape_layout layout, uint8_t *at)
{
    if (layout.disp_bytes == 1) {
        *at = cursor_u8(&columns[layout.disp_column]);
    } else if (layout.disp_bytes) {
        at[0] = cursor_u8(&columns[OLD_DISP32_LOW]);
        at[1] = cursor_u8(&columns[OLD_DISP32_NEXT]);
        take_bytes(&columns[OLD_DISP32_HIGH], at + 2, 2);
    }
}

static uint32_t address_take(struct code_reader *reader, enum shape_branch of)
{
    return take_address(&reader->columns[(reader->old ? OLD_DATA : COLUMN_DATA) + of]);
}

/* Returns the end of the displacement. */
static uint8_t *modrm_take(struct code_reader *reader, uint32_t number, uint8_t *at,
                           struct ending *ending)
{
    struct cursor *columns = reader->columns, *own = &columns[shape_columns(number)];
    uint8_t modrm = reader->old ? cursor_u8(own) : fields_modrm(&reader->fields, number, 0);
    uint8_t sib = 0;
    *at++ = modrm;
    if (shape_has_sib(modrm))
        *at++ = sib = reader->old ? cursor_u8(&columns[OLD_SIB])
                                  : fields_sib(&reader->fields, number, modrm, 0);
    struct shape_layout layout = shape_layout(modrm, sib);
    if (layout.disp_column == OLD_DATA) {
        ending->data = at;
        ending->to_data = address_take(reader, BRANCH_NONE);
    } else if (reader->old) {
        old_displacement(columns, layout, at);
    } else {
        fields_displacement(&reader->fields, number, modrm, sib, layout, at);
    }
    return at + layout.disp_bytes;
}

static void jump_take(struct code_reader *reader, uint32_t number, const struct code_shape *shape,
                      uint32_t end)
{
    struct reader_jump jump = {
        .end = end, .before = (uint32_t)reader->targets.n, .bytes = shape->imm_bytes};
    jump.apart = reader->old ? take_number(&reader->columns[shape_columns(number) + 1])
                             : fields_number(&reader->fields, number, 0);
    if (!jump.apart)
        jump.to = address_take(reader, BRANCH_JUMP);
    *vec_push(&reader->jumps) = jump;
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
    uint64_t shape_number;
    const struct code_shape *shape = shape_next(reader, &shape_number);
    struct ending ending = {0};
    if (!shape)
        return 0;
    uint32_t number = (uint32_t)shape_number;
    memcpy(to, shape->bytes, shape->n);
    uint8_t *at = to + shape->n, modrm = 0;
    if (shape->has_modrm) {
        at = modrm_take(reader, number, at, &ending);
        modrm = to[shape->n];
    }
    size_t n = (size_t)(at - to) + shape->imm_bytes;
    if (shape->branch == BRANCH_CALL) {
        ending.call = at;
        ending.to_call = address_take(reader, BRANCH_CALL);
    } else if (shape->branch == BRANCH_JUMP) {
        jump_take(reader, number, shape, offset + (uint32_t)n);
    } else if (reader->old) {
        take_bytes(&reader->columns[shape_columns(number) + 1], at, shape->imm_bytes);
    } else {
        fields_immediate(&reader->fields, number, modrm, at, shape->imm_bytes);
    }
    if (ending.data)
        put_relative(ending.data, ending.to_data, address + n);
    if (ending.call)
        put_relative(ending.call, ending.to_call, address + n);
    fields_next(&reader->fields, number, modrm);
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
            target = jump->to;
        }
        uint32_t relative = (uint32_t)(target - end);
        memcpy(to + jump->end - jump->bytes, &relative, jump->bytes);
    }
    return true;
}

static bool is_bad(const struct code_reader *reader)
{
    bool bad = reader->fields.from.bad;
    for (size_t i = 0; i < OLD_COLUMNS; i++)
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
