/* Puts machine code into columns (code_shapes.h). */
#pragma once

#include "base/bytes.h"
#include "base/map.h"
#include "profile/file/chunk.h"
#include "profile/file/code_fields.h"

#include <stddef.h>
#include <stdint.h>

struct code_piece {
    uint64_t at; /* address of its first byte; only what it compresses to depends on it */
    const uint8_t *bytes;
    size_t n;
};

struct code_writer {
    struct code_pieces {
        VEC(struct code_piece);
    } pieces;
    struct bytes columns[CODE_COLUMNS];
    const struct chunk_cuts *gives_up; /* NULL, or whether it does: see there */
    /* The rest is scratch. */
    struct code_fields fields;
    struct map shapes;
    struct shape_numbers {
        VEC(uint32_t);
    } uses, numbers, of, before; /* of each shape: how often, and its number in the file; shapes of
                                    all instructions; of each byte of a piece: targets of jumps
                                    before it */
    struct bytes lengths;        /* of all instructions */
    struct bytes marks;          /* of each byte: whether an instruction begins, and is a target */
    uint64_t apart;              /* instructions since the last target */
};

void code_writer_init(struct code_writer *writer);
/* The bytes stay the caller's. */
void code_writer_add(struct code_writer *writer, struct code_piece piece);
/* Fills the columns, unless it gives up. */
void code_writer_fill(struct code_writer *writer);
void code_writer_release(struct code_writer *writer);
