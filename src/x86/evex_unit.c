#include "x86/evex_unit.h"

#include "x86/fields.h"
#include "x86/opcodes.h"

/* Values up to 32 are bytes; the rest follow from the encoding. */
enum unit {
    UNIT_WHOLE = 64, /* the vector */
    UNIT_HALF,
    UNIT_QUARTER,
    UNIT_EIGHTH,
    UNIT_HALF_OR_WHOLE, /* without W, and with */
    UNIT_W,             /* 4 or 8 by W */
    UNIT_SCALAR,        /* 4 or 8 by the prefix */
    UNIT_SMALL,         /* 1 or 2 by W */
    UNIT_DUPLICATED,    /* the vector, of the shortest half */
};

/* Mandatory prefixes as bits. */
enum { P_NO = 1, P_66 = 2, P_F3 = 4, P_F2 = 8, P_PACKED = P_NO | P_66, P_ONE = P_F3 | P_F2 };

/* All that are not of whole vectors; the first row that fits counts. */
static const struct {
    uint8_t map, prefixes, first, last, unit;
} units[] = {
    {1, P_ONE, 0x10, 0x11, UNIT_SCALAR},
    {1, P_PACKED, 0x12, 0x13, 8},
    {1, P_F2, 0x12, 0x12, UNIT_DUPLICATED},
    {1, P_PACKED, 0x16, 0x17, 8},
    {1, P_ONE, 0x2A, 0x2A, UNIT_W},
    {1, P_ONE, 0x2C, 0x2D, UNIT_SCALAR},
    {1, P_PACKED, 0x2E, 0x2F, UNIT_W},
    {1, P_ONE, 0x51, 0x5A, UNIT_SCALAR},
    {1, P_NO, 0x5A, 0x5A, UNIT_HALF},
    {1, P_ONE, 0x5C, 0x5F, UNIT_SCALAR},
    {1, P_66, 0x6E, 0x6E, UNIT_W},
    {1, P_66, 0x78, 0x7B, UNIT_HALF_OR_WHOLE},
    {1, P_ONE, 0x78, 0x79, UNIT_SCALAR},
    {1, P_F3, 0x7A, 0x7A, UNIT_HALF_OR_WHOLE},
    {1, P_ONE, 0x7B, 0x7B, UNIT_W},
    {1, P_66, 0x7E, 0x7E, UNIT_W},
    {1, P_F3, 0x7E, 0x7E, 8},
    {1, P_ONE, 0xC2, 0xC2, UNIT_SCALAR},
    {1, P_66, 0xC4, 0xC4, 2},
    {1, P_66, 0xD1, 0xD3, 16},
    {1, P_66, 0xD6, 0xD6, 8},
    {1, P_66, 0xE1, 0xE2, 16},
    {1, P_F3, 0xE6, 0xE6, UNIT_HALF_OR_WHOLE},
    {1, P_66, 0xF1, 0xF3, 16},
    {2, P_66, 0x13, 0x13, UNIT_HALF},
    {2, P_66, 0x18, 0x18, 4},
    {2, P_66, 0x19, 0x19, 8},
    {2, P_66, 0x1A, 0x1A, 16},
    {2, P_66, 0x1B, 0x1B, 32},
    {2, P_66, 0x2D, 0x2D, UNIT_W},
    {2, P_66, 0x43, 0x43, UNIT_W},
    {2, P_66, 0x4D, 0x4D, UNIT_W},
    {2, P_66, 0x4F, 0x4F, UNIT_W},
    {2, P_F2, 0x52, 0x53, 16},
    {2, P_66, 0x58, 0x58, 4},
    {2, P_66, 0x59, 0x59, 8},
    {2, P_66, 0x5A, 0x5A, 16},
    {2, P_66, 0x5B, 0x5B, 32},
    {2, P_66, 0x62, 0x63, UNIT_SMALL},
    {2, P_66, 0x78, 0x78, 1},
    {2, P_66, 0x79, 0x79, 2},
    {2, P_66, 0x88, 0x8B, UNIT_W},
    {2, P_66, 0x90, 0x93, UNIT_W},
    {2, P_F2, 0x9A, 0x9B, 16},
    {2, P_66, 0xA0, 0xA3, UNIT_W},
    {2, P_F2, 0xAA, 0xAB, 16},
    {2, P_66, 0xC6, 0xC7, UNIT_W},
    {2, P_66, 0xCB, 0xCB, UNIT_W},
    {2, P_66, 0xCD, 0xCD, UNIT_W},
    {3, P_66, 0x0A, 0x0B, UNIT_W},
    {3, P_66, 0x14, 0x14, 1},
    {3, P_66, 0x15, 0x15, 2},
    {3, P_66, 0x16, 0x16, UNIT_W},
    {3, P_66, 0x17, 0x17, 4},
    {3, P_66, 0x18, 0x19, 16},
    {3, P_66, 0x1A, 0x1B, 32},
    {3, P_66, 0x1D, 0x1D, UNIT_HALF},
    {3, P_66, 0x20, 0x20, 1},
    {3, P_66, 0x21, 0x21, 4},
    {3, P_66, 0x22, 0x22, UNIT_W},
    {3, P_66, 0x27, 0x27, UNIT_W},
    {3, P_66, 0x38, 0x39, 16},
    {3, P_66, 0x3A, 0x3B, 32},
    {3, P_66, 0x51, 0x51, UNIT_W},
    {3, P_66, 0x55, 0x55, UNIT_W},
    {3, P_66, 0x57, 0x57, UNIT_W},
    {3, P_66, 0x67, 0x67, UNIT_W},
};

/* Moves that make elements wider (66) or narrower (F3). */
static unsigned resizing_unit(unsigned op, unsigned pp)
{
    static const uint8_t parts[] = {UNIT_HALF, UNIT_QUARTER, UNIT_EIGHTH,
                                    UNIT_HALF, UNIT_QUARTER, UNIT_HALF};
    bool resizes = (op & 7) < 6 && (between(op, 0x20, 0x25) || between(op, 0x30, 0x35) ||
                                    (pp == 2 && between(op, 0x10, 0x15)));
    return resizes && (pp == 1 || pp == 2) ? parts[op & 7] : UNIT_WHOLE;
}

/* 99, 9B .. 9F and the same of the next two rows are of one element. */
static bool multiplies_one(unsigned op)
{
    return between(op, 0x99, 0xBF) && (op & 9) == 9;
}

static unsigned unit_of(const struct insn *insn, unsigned pp)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].map == insn->map && (units[i].prefixes >> pp & 1) &&
            between(insn->opcode, units[i].first, units[i].last))
            return units[i].unit;
    if (insn->map != 2)
        return UNIT_WHOLE;
    return pp == 1 && multiplies_one(insn->opcode) ? UNIT_W : resizing_unit(insn->opcode, pp);
}

uint8_t evex_unit(const struct insn *insn, const uint8_t *bytes)
{
    unsigned pp = opcodes_mandatory(insn->prefixes), last = bytes[insn->opcode_at - 1];
    unsigned vector = 16u << (last >> 5 & 3), wide = insn->rex & 8;
    bool broadcasts = last & 16;
    bool known = insn->map == 1 || insn->map == 2 || (insn->map == 3 && pp == 1);
    if (!known || vector > 64)
        return 0;
    if (broadcasts)
        return wide ? 8 : 4;
    unsigned unit = unit_of(insn, pp);
    switch (unit) {
    case UNIT_WHOLE: return (uint8_t)vector;
    case UNIT_HALF: return (uint8_t)(vector / 2);
    case UNIT_QUARTER: return (uint8_t)(vector / 4);
    case UNIT_EIGHTH: return (uint8_t)(vector / 8);
    case UNIT_HALF_OR_WHOLE: return (uint8_t)(wide ? vector : vector / 2);
    case UNIT_W: return wide ? 8 : 4;
    case UNIT_SCALAR: return pp == 3 ? 8 : 4;
    case UNIT_SMALL: return wide ? 2 : 1;
    case UNIT_DUPLICATED: return (uint8_t)(vector == 16 ? 8 : vector);
    default: return (uint8_t)unit;
    }
}
