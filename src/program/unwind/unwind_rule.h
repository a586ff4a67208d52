/* How one frame leads to its caller's: where the frame's end (CFA) is and where each register of
 * the caller was kept.
 *
 * Registers have DWARF's numbers for x86-64. A column is a rule's word for one register: a kind in
 * the low bits and a number above them. A register without a column is unchanged; without one of
 * its own the caller's rsp is the CFA. Equal rules have equal bytes, so that one table holds each
 * of them once. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNWIND_RBX = 3, UNWIND_RBP = 6, UNWIND_RSP = 7, UNWIND_RIP = 16, UNWIND_REGISTERS = 17 };

enum cfa_kind {
    CFA_NONE,       /* nothing said so far: the frame cannot be left */
    CFA_REGISTER,   /* register + number */
    CFA_PLT,        /* rsp + 8, and 8 more from the byte of the 16-byte stub that `number` says */
    CFA_EXPRESSION, /* value of expression `number` */
};
enum column_kind {
    COLUMN_UNDEFINED,     /* lost; for rip: there is no caller */
    COLUMN_AT,            /* in memory at CFA + number */
    COLUMN_IS,            /* CFA + number */
    COLUMN_REGISTER,      /* in register `number` */
    COLUMN_AT_EXPRESSION, /* in memory where expression `number` says */
    COLUMN_IS_EXPRESSION, /* value of expression `number` */
};

struct unwind_rule {
    int32_t number; /* of the CFA */
    uint8_t cfa;    /* enum cfa_kind */
    uint8_t cfa_register;
    uint8_t signal;   /* the frame was entered by a signal: the caller's rip is no return address */
    uint8_t derived;  /* from the code, not from an entry */
    uint32_t columns; /* bit r: column[r] is meant, else it is 0 */
    int32_t column[UNWIND_REGISTERS];
};

enum { COLUMN_BITS = 3 };
static inline enum column_kind column_kind(int32_t column)
{
    return (enum column_kind)(column & ((1 << COLUMN_BITS) - 1));
}
static inline int32_t column_number(int32_t column)
{
    return column >> COLUMN_BITS;
}

/* DWARF expressions, copied out of the file, by number. */
struct unwind_expression {
    uint32_t start, bytes;
};
struct unwind_expressions {
    VEC(struct unwind_expression);
    struct unwind_expression_code {
        VEC(uint8_t);
    } code;
};

/* The number of an expression with these bytes, an old one if there is one nearby. */
int32_t unwind_expressions_add(struct unwind_expressions *expressions, const uint8_t *bytes,
                               size_t n);
void unwind_expressions_release(struct unwind_expressions *expressions);
