/* How the two halves of operands.c speak of an encoding. */
#pragma once

#include "x86/operands.h"

/* x86 register numbers that instructions imply. */
enum { AX, CX, DX, BX, SP, BP, SI, DI, NO_REGISTER = 255 };

/* The fields of an encoding that choose registers. */
struct fields {
    unsigned reg, rm, third; /* with their extension bits */
    unsigned bits;           /* extension of index and base, as in REX: X is 2, B is 1 */
    bool wide;               /* 256 bits or more */
};

static inline bool between(unsigned op, unsigned first, unsigned last)
{
    return op - first <= last - first;
}

static inline uint16_t set_of(unsigned reg)
{
    return (uint16_t)(1u << reg);
}

static inline bool in_memory(const struct insn *insn)
{
    return insn->has_modrm && insn->modrm < 0xC0;
}

/* What instructions on vectors touch, and all others that VEX, EVEX and XOP encode; `ret` holds no
 * operand yet. */
void operands_vector(const struct insn *insn, const struct fields *fields, struct operands *ret);
