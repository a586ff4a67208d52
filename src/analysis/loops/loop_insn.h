/* What an instruction does, as far as loops ask: what of memory it accesses, and through which
 * registers values pass from one iteration to the next. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

enum { LOOP_REGISTER_NONE = 255 };

struct loop_insn {
    bool known;
    uint8_t loads, stores;  /* bytes of its memory operand */
    uint8_t packed;         /* bytes that arithmetic on vectors works on at once; 0: none */
    bool sums;              /* scalar floating-point: adds to, or multiplies, a register */
    bool steps;             /* adds a constant to its register, and nothing else */
    bool moves;             /* copies one general register to another */
    bool sets_flags;        /* all that a conditional branch asks for */
    uint8_t to;             /* register that it writes: 16 and more are vector registers */
    uint8_t from;           /* that it copies */
    uint8_t base, index;    /* of its memory operand */
    uint32_t reads, writes; /* registers */
};

void loop_insn_read(struct loop_insn *insn, const struct image *image, struct svma at);
