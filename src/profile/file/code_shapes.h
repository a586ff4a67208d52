/* Machine code in columns: the order of instructions apart from what is in each, so that it
 * compresses to half of what the bytes in their order do.
 *
 * The *shape* of an instruction is its bytes before ModRM, whether it has one, and how many bytes
 * its immediates take. The file has the shapes; so a reader needs to know of x86 only how ModRM and
 * SIB tell the size of a displacement. FORMAT.md describes the columns. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    SHAPE_BYTES_MAX = 8,
    SHAPE_IMM_MAX = 8,
    SHAPE_ESCAPE = 255, /* shapes from here on share their columns */
};

/* Where its immediate leads. */
enum shape_branch { BRANCH_NONE, BRANCH_CALL, BRANCH_JUMP, BRANCHES };

struct code_shape {
    uint8_t n, imm_bytes, branch; /* enum shape_branch */
    bool has_modrm;
    uint8_t bytes[SHAPE_BYTES_MAX];
};

enum code_column {
    COLUMN_SHAPES,
    COLUMN_SHAPE,   /* numbers of shapes below SHAPE_ESCAPE */
    COLUMN_FURTHER, /* those of others */
    COLUMN_FIELDS,  /* all else of instructions but addresses: code_fields.h */
    COLUMN_TARGETS, /* where targets of jumps are: instructions in between */
    COLUMN_DATA,    /* addresses relative to the instruction, made absolute */
    COLUMN_CALLS,   /* likewise */
    COLUMN_JUMPS,   /* likewise, of jumps out of the code */
    CODE_COLUMNS
};
/* Files of version 2 have columns of bytes instead of fields; the first three are the same. */
enum old_column {
    OLD_SIB = COLUMN_FIELDS,
    OLD_DISP8,       /* from any register but these two */
    OLD_DISP8_RSP,   /* slots of the stack */
    OLD_DISP8_RBP,   /* the same with frame pointers */
    OLD_DISP32_LOW,  /* a byte each */
    OLD_DISP32_NEXT, /* a byte each */
    OLD_DISP32_HIGH, /* two bytes each */
    OLD_DATA,        /* addresses relative to the instruction, made absolute */
    OLD_CALLS,       /* likewise */
    OLD_JUMPS_OUT,   /* addresses outside of the code */
    OLD_TARGETS,
    OLD_OF_SHAPES, /* of each: its ModRM bytes; its immediates, of jumps how many targets of
                      jumps further on or back */
    OLD_COLUMNS = OLD_OF_SHAPES + 2 * (SHAPE_ESCAPE + 1),
};

/* The bytes of an instruction's shape after the opcode, by its ModRM and SIB. */
struct shape_layout {
    bool has_sib;
    uint8_t disp_bytes, disp_column; /* 0, 1 or 4; enum old_column: of a 4 OLD_DATA, if it is
                                        relative to the instruction, or OLD_DISP32_LOW */
};
struct shape_layout shape_layout(uint8_t modrm, uint8_t sib);
/* Whether a SIB byte follows, so that shape_layout may be asked. */
static inline bool shape_has_sib(uint8_t modrm)
{
    return modrm < 0xc0 && (modrm & 7) == 4;
}
static inline unsigned shape_columns(unsigned shape)
{
    return OLD_OF_SHAPES + 2 * (shape < SHAPE_ESCAPE ? shape : SHAPE_ESCAPE);
}
