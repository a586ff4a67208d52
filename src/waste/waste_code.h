/* One instruction, as far as waste is concerned: what it reads and overwrites, and whether data go
 * through it unchanged.
 *
 * Whatever is doubtful is taken to be used: part of a register that is written counts as read, and
 * an instruction whose memory is not known exactly is a barrier. So findings may be missed, but
 * none is made up. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

/* Registers: general ones 0 to 15, vectors 16 to 47, masks 48 to 55, flags, and all else as one. */
enum {
    WASTE_VECTORS = 16,
    WASTE_MASKS = 48,
    WASTE_FLAGS = 56,
    WASTE_OTHERS = 57,
    WASTE_RECORDED = 32, /* those below: what is written to them is recorded */
    WASTE_REGISTERS = 58,
    WASTE_NO_REGISTER = 255,
    WASTE_BYTES_MAX = 64, /* of one access that is not repeated */
};

enum waste_code_flag {
    WASTE_BARRIER = 1 << 0,  /* what it does to memory is not known exactly */
    WASTE_QUIET = 1 << 1,    /* atomic: others may see what it reads and writes */
    WASTE_RESULT = 1 << 2,   /* all it does is to write registers */
    WASTE_REPEATED = 1 << 3, /* a string instruction with a count */
    WASTE_CALLS = 1 << 4,
    WASTE_RETURNS = 1 << 5,
    WASTE_STORES = 1 << 6, /* memory, its own stack slot of push and call included */
    WASTE_ASKS = 1 << 7,   /* what it writes does not follow from what it reads: rdtsc, cpuid */
    WASTE_MASKED = 1 << 9, /* touches some of the bytes of its operand, and no others */
    WASTE_SAVES = 1 << 8,  /* pushes or pops a register that functions must leave as it was */
};

/* How data go through it. */
enum waste_move {
    MOVE_NONE,
    MOVE_LOAD,     /* from memory to `data` */
    MOVE_STORE,    /* from `data` to memory */
    MOVE_CONSTANT, /* `constant` to memory */
    MOVE_REGISTER, /* from `data` to the only register that is written */
    MOVE_STRING,   /* movs */
    MOVE_SET,      /* stos */
};

struct waste_code {
    uint64_t reads, writes; /* sets of registers; one that is written in part is read, too */
    uint64_t constant;
    uint16_t flags;     /* enum waste_code_flag */
    uint8_t move;       /* enum waste_move */
    uint8_t data;       /* WASTE_NO_REGISTER: none */
    uint8_t data_shift; /* bits: 8 of ah to bh */
    uint8_t bytes;      /* of its memory operand, or of one element */
    uint8_t accesses;   /* to memory: so many addresses must have been recorded */
    uint8_t length;
};

/* The instruction at a linked address; false: none. */
bool waste_code_read(const struct image *image, struct svma at, struct waste_code *ret_code);
