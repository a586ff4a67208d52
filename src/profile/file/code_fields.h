/* What of instructions follows their shape (code_shapes.h): ModRM, SIB, displacements and
 * immediates. Each half byte is predicted by two contexts, such as the shape alone, and the
 * shape with the ModRM byte before, and range coded: a sixth less than bytes of one kind take as
 * zstd stores them. FORMAT.md describes the bytes.
 *
 * Writing and reading are one thing here, so that both predict alike: whoever writes gives the
 * value, whoever reads gets it. */
#pragma once

#include "base/bytes.h"
#include "base/cursor.h"
#include "profile/file/code_shapes.h"

enum { FIELD_COUNT_MAX = 12 }; /* uses of a context that count */

struct code_fields {
    bool writes;
    uint32_t range;
    /* Of a writer. */
    struct bytes out;
    uint64_t low;
    uint64_t held; /* bytes that a carry may still change: the first of them, and then 0xff */
    uint8_t first;
    /* Of a reader. */
    struct cursor from;
    uint32_t code;

    uint16_t (*lines[2])[16]; /* of each kind of context, predictions */
    unsigned shift;           /* of hashes of contexts */
    /* What stood before. */
    uint32_t shape_before, modrm_before, jump_before, imm_before;
};

/* Of about so much code. */
void fields_write(struct code_fields *fields, size_t code_bytes);
/* What was written: in `out`. */
void fields_flush(struct code_fields *fields);
/* False: it makes no sense. */
bool fields_read(struct code_fields *fields, struct cursor from);
void fields_release(struct code_fields *fields);

uint8_t fields_modrm(struct code_fields *fields, uint32_t shape, uint8_t modrm);
uint8_t fields_sib(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t sib);
/* One byte, or four that are not relative to the instruction. */
void fields_displacement(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t sib,
                         struct shape_layout layout, uint8_t *at);
/* Of a jump. */
uint64_t fields_number(struct code_fields *fields, uint32_t shape, uint64_t number);
void fields_immediate(struct code_fields *fields, uint32_t shape, uint8_t modrm, uint8_t *at,
                      unsigned n);
/* The instruction is over; modrm: 0, it has none. */
void fields_next(struct code_fields *fields, uint32_t shape, uint8_t modrm);
