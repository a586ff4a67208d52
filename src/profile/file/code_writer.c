#include "profile/file/code_writer.h"

#include "base/memory.h"
#include "wire/varint.h"
#include "x86/insn.h"

#include <stdlib.h>
#include <string.h>

enum mark { MARK_BEGINS = 1, MARK_TARGET = 2 };

void code_writer_init(struct code_writer *writer)
{
    *writer = (struct code_writer){0};
    map_init(&writer->shapes, sizeof(struct code_shape));
}

void code_writer_release(struct code_writer *writer)
{
    vec_release(&writer->pieces);
    for (size_t i = 0; i < CODE_COLUMNS; i++)
        vec_release(&writer->columns[i]);
    fields_release(&writer->fields);
    map_release(&writer->shapes);
    vec_release(&writer->uses);
    vec_release(&writer->numbers);
    vec_release(&writer->of);
    vec_release(&writer->before);
    vec_release(&writer->lengths);
    vec_release(&writer->marks);
}

void code_writer_add(struct code_writer *writer, struct code_piece piece)
{
    *vec_push(&writer->pieces) = piece;
}

static void put_byte(struct bytes *to, uint8_t byte)
{
    bytes_reserve(to, to->n + 1);
    to->at[to->n++] = byte;
}

/* ---- shapes */

/* ModRM, SIB and displacement. */
static unsigned modrm_bytes(const uint8_t *modrm)
{
    struct shape_layout layout = shape_layout(modrm[0], shape_has_sib(modrm[0]) ? modrm[1] : 0);
    return 1u + layout.has_sib + layout.disp_bytes;
}

/* Bytes that are no instruction, or an odd one, are each a shape. */
static struct code_shape shape_of(const uint8_t *at, size_t room)
{
    struct code_shape shape = {.n = 1, .bytes = {at[0]}};
    struct insn insn;
    if (!insn_decode(at, room, &insn))
        return shape;
    unsigned opcode = insn.has_modrm ? insn.modrm_at : (unsigned)(insn.opcode_at + 1);
    unsigned end = opcode;
    if (insn.has_modrm)
        end += modrm_bytes(at + opcode);
    if (opcode > SHAPE_BYTES_MAX || end > insn.length || insn.length - end > SHAPE_IMM_MAX)
        return shape;
    shape.n = (uint8_t)opcode;
    shape.has_modrm = insn.has_modrm;
    shape.imm_bytes = (uint8_t)(insn.length - end);
    if (insn.class == INSN_CALL && shape.imm_bytes == 4)
        shape.branch = BRANCH_CALL;
    if ((insn.class == INSN_COND || insn.class == INSN_JUMP) &&
        (shape.imm_bytes == 1 || shape.imm_bytes == 4))
        shape.branch = BRANCH_JUMP;
    memcpy(shape.bytes, at, opcode);
    return shape;
}

static uint8_t length_of(const struct code_shape *shape, const uint8_t *at)
{
    unsigned n = (unsigned)shape->n + shape->imm_bytes;
    return (uint8_t)(shape->has_modrm ? n + modrm_bytes(at + shape->n) : n);
}

/* With the last bytes of a piece followed by zeros, as an instruction may not end there. */
static void shapes_find(struct code_writer *writer, const struct code_piece *piece)
{
    uint8_t last[2 * INSN_ROOM] = {0};
    size_t tail = piece->n < INSN_ROOM ? piece->n : INSN_ROOM;
    memcpy(last, piece->bytes + piece->n - tail, tail);
    for (size_t i = 0; i < piece->n;) {
        size_t room = piece->n - i;
        const uint8_t *at = room >= INSN_ROOM ? piece->bytes + i : last + tail - room;
        struct code_shape shape = shape_of(at, room);
        uint32_t number = map_add(&writer->shapes, &shape);
        if (number == writer->uses.n)
            (void)vec_push(&writer->uses);
        writer->uses.at[number]++;
        *vec_push(&writer->of) = number;
        uint8_t length = length_of(&shape, at);
        put_byte(&writer->lengths, length);
        i += length;
    }
}

struct use {
    uint32_t uses, shape;
    const struct code_shape *is;
};

static int use_order(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->uses != y->uses)
        return x->uses > y->uses ? -1 : 1;
    return memcmp(x->is, y->is, sizeof *x->is);
}

/* The most frequent first. */
static void shapes_number(struct code_writer *writer)
{
    size_t n = writer->uses.n;
    struct use *uses = mem_alloc((n + 1) * sizeof *uses);
    for (uint32_t i = 0; i < n; i++)
        uses[i] = (struct use){writer->uses.at[i], i, map_key(&writer->shapes, i)};
    qsort(uses, n, sizeof *uses, use_order);
    vec_room(&writer->numbers, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct code_shape *shape = uses[i].is;
        writer->numbers.at[uses[i].shape] = i;
        const uint8_t head[2] = {(uint8_t)(shape->n | shape->has_modrm << 4 | shape->branch << 5),
                                 shape->imm_bytes};
        bytes_add(&writer->columns[COLUMN_SHAPES], head, sizeof head);
        bytes_add(&writer->columns[COLUMN_SHAPES], shape->bytes, shape->n);
    }
    mem_free(uses);
}

/* ---- columns */

static void put_number(struct bytes *to, uint64_t number)
{
    bytes_reserve(to, to->n + VARINT_BYTES_MAX);
    to->n = (size_t)(varint_put(to->at + to->n, number) - to->at);
}

/* The first bytes of addresses are those that resemble each other. */
static void put_address(struct code_writer *writer, enum shape_branch of, uint64_t address)
{
    const uint8_t bytes[4] = {(uint8_t)(address >> 24), (uint8_t)(address >> 16),
                              (uint8_t)(address >> 8), (uint8_t)address};
    bytes_add(&writer->columns[COLUMN_DATA + of], bytes, sizeof bytes);
}

static uint64_t offset_at(const uint8_t *at, unsigned bytes)
{
    int32_t wide;
    if (bytes == 1)
        return (uint64_t)(int64_t)(int8_t)*at;
    memcpy(&wide, at, sizeof wide);
    return (uint64_t)(int64_t)wide;
}

/* Where in the piece a jump leads; piece->n or more: not to the beginning of an instruction. */
static uint64_t jump_target(const struct code_writer *writer, const struct code_piece *piece,
                            const struct code_shape *shape, size_t end)
{
    uint64_t to = end + offset_at(piece->bytes + end - shape->imm_bytes, shape->imm_bytes);
    return to < piece->n && writer->marks.at[to] & MARK_BEGINS ? to : UINT64_MAX;
}

static const struct code_shape *shape_at(const struct code_writer *writer, size_t instruction)
{
    return map_key(&writer->shapes, writer->of.at[instruction]);
}

static void targets_find(struct code_writer *writer, const struct code_piece *piece, size_t first)
{
    writer->marks.n = 0;
    bytes_reserve(&writer->marks, piece->n + 1);
    memset(writer->marks.at, 0, piece->n + 1);
    for (size_t at = 0, i = first; at < piece->n; i++) {
        writer->marks.at[at] = MARK_BEGINS;
        at += writer->lengths.at[i];
    }
    for (size_t at = 0, i = first; at < piece->n; i++) {
        const struct code_shape *shape = shape_at(writer, i);
        at += writer->lengths.at[i];
        if (shape->branch != BRANCH_JUMP)
            continue;
        uint64_t to = jump_target(writer, piece, shape, at);
        if (to < piece->n)
            writer->marks.at[to] |= MARK_TARGET;
    }
    vec_room(&writer->before, piece->n + 1);
    for (uint32_t i = 0, n = 0; i <= piece->n; i++) {
        writer->before.at[i] = n;
        n += (writer->marks.at[i] & MARK_TARGET) != 0;
    }
}

static void put_jump(struct code_writer *writer, const struct code_piece *piece, uint32_t number,
                     const struct code_shape *shape, size_t end)
{
    uint64_t to = jump_target(writer, piece, shape, end);
    if (to < piece->n) {
        uint64_t apart = (uint64_t)writer->before.at[to] - writer->before.at[end];
        fields_number(&writer->fields, number, varint_fold(apart) + 1);
        return;
    }
    fields_number(&writer->fields, number, 0);
    uint64_t offset = offset_at(piece->bytes + end - shape->imm_bytes, shape->imm_bytes);
    put_address(writer, BRANCH_JUMP, piece->at + end + offset);
}

/* Returns ModRM. */
static uint8_t put_modrm(struct code_writer *writer, uint32_t number, const uint8_t *at,
                         uint64_t end)
{
    struct code_fields *fields = &writer->fields;
    uint8_t modrm = at[0], sib = shape_has_sib(modrm) ? at[1] : 0, disp[4];
    struct shape_layout layout = shape_layout(modrm, sib);
    fields_modrm(fields, number, modrm);
    if (layout.has_sib)
        fields_sib(fields, number, modrm, sib);
    at += 1 + layout.has_sib;
    if (layout.disp_column == OLD_DATA) {
        put_address(writer, BRANCH_NONE, end + offset_at(at, 4));
    } else {
        memcpy(disp, at, layout.disp_bytes);
        fields_displacement(fields, number, modrm, sib, layout, disp);
    }
    return modrm;
}

static void put_instruction(struct code_writer *writer, const struct code_piece *piece,
                            uint32_t number, const struct code_shape *shape, size_t start,
                            size_t end)
{
    struct code_fields *fields = &writer->fields;
    uint8_t modrm = 0, imm[SHAPE_IMM_MAX];
    put_byte(&writer->columns[COLUMN_SHAPE],
             (uint8_t)(number < SHAPE_ESCAPE ? number : SHAPE_ESCAPE));
    if (number >= SHAPE_ESCAPE)
        put_number(&writer->columns[COLUMN_FURTHER], number - SHAPE_ESCAPE);
    if (shape->has_modrm)
        modrm = put_modrm(writer, number, piece->bytes + start + shape->n, piece->at + end);
    memcpy(imm, piece->bytes + end - shape->imm_bytes, shape->imm_bytes);
    if (shape->branch == BRANCH_JUMP)
        put_jump(writer, piece, number, shape, end);
    else if (shape->branch == BRANCH_CALL)
        put_address(writer, BRANCH_CALL, piece->at + end + offset_at(imm, 4));
    else
        fields_immediate(fields, number, modrm, imm, shape->imm_bytes);
    fields_next(fields, number, modrm);
}

/* Returns the instruction after the piece. */
static size_t piece_put(struct code_writer *writer, const struct code_piece *piece, size_t first)
{
    size_t i = first;
    targets_find(writer, piece, first);
    for (size_t at = 0, end; at < piece->n; at = end, i++) {
        const struct code_shape *shape = shape_at(writer, i);
        end = at + writer->lengths.at[i];
        if (writer->marks.at[at] & MARK_TARGET) {
            put_number(&writer->columns[COLUMN_TARGETS], writer->apart);
            writer->apart = 0;
        } else {
            writer->apart++;
        }
        put_instruction(writer, piece, writer->numbers.at[writer->of.at[i]], shape, at, end);
    }
    return i;
}

void code_writer_fill(struct code_writer *writer)
{
    const struct code_pieces *pieces = &writer->pieces;
    size_t instruction = 0, bytes = 0;
    for (size_t i = 0; i < pieces->n && !chunk_gives_up(writer->gives_up); i++) {
        shapes_find(writer, &pieces->at[i]);
        bytes += pieces->at[i].n;
    }
    shapes_number(writer);
    fields_write(&writer->fields, bytes);
    for (size_t i = 0; i < pieces->n && !chunk_gives_up(writer->gives_up); i++)
        instruction = piece_put(writer, &pieces->at[i], instruction);
    /* There is always a next target. */
    put_number(&writer->columns[COLUMN_TARGETS], writer->apart);
    fields_flush(&writer->fields);
    writer->columns[COLUMN_FIELDS] = writer->fields.out;
    writer->fields.out = (struct bytes){0};
}
