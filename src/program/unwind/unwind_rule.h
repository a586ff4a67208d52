/* How to get from a frame to its caller: where the frame ends (the CFA), and where each register of
 * the caller is saved.
 *
 * Registers have DWARF's numbers for x86-64. A column describes one register: a kind in the low
 * bits, a number above. A register without a column is unchanged, except rsp, which is the CFA.
 * Equal rules have equal bytes, so a table stores each rule once. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNWIND_RBX = 3, UNWIND_RBP = 6, UNWIND_RSP = 7, UNWIND_RIP = 16, UNWIND_REGISTERS = 17 };

enum cfa_kind {
    CFA_NONE,       /* not set: the frame has no caller */
    CFA_REGISTER,   /* register + number */
    CFA_PLT,        /* rsp + 8, or rsp + 16 from byte `number` of the 16-byte stub on */
    CFA_EXPRESSION, /* value of expression `number` */
};
enum column_kind {
    COLUMN_UNDEFINED,     /* not saved; for rip: no caller */
    COLUMN_AT,            /* in memory at CFA + number */
    COLUMN_IS,            /* CFA + number */
    COLUMN_REGISTER,      /* in register `number` */
    COLUMN_AT_EXPRESSION, /* in memory at the value of expression `number` */
    COLUMN_IS_EXPRESSION, /* value of expression `number` */
};

struct unwind_rule {
    int32_t number; /* of the CFA */
    uint8_t cfa;    /* enum cfa_kind */
    uint8_t cfa_register;
    uint8_t signal;   /* signal frame: the caller's rip is no return address */
    uint8_t derived;  /* derived from the code */
    uint32_t columns; /* bit r: column[r] is set, else it is 0 */
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

/* DWARF expressions, copied from the file, by number. */
struct unwind_expression {
    uint32_t start, bytes;
};
struct unwind_expressions {
    VEC(struct unwind_expression);
    struct unwind_expression_code {
        VEC(uint8_t);
    } code;
};

/* The number of an expression with these bytes; reuses a recent equal one. */
int32_t unwind_expressions_add(struct unwind_expressions *expressions, const uint8_t *bytes,
                               size_t n);
void unwind_expressions_release(struct unwind_expressions *expressions);
