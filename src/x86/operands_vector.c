/* One result for each opcode and mandatory prefix. */
#include "x86/fields.h"
#include "x86/opcodes.h"

/* Where the result goes. */
enum result {
    TO_NOTHING, /* or to what is not recorded: flags, x87, MMX, mask and tile registers */
    TO_STORE,   /* memory alone */
    TO_REG,     /* general registers: ModRM.reg, ModRM.rm or memory, VEX.vvvv */
    TO_RM,
    TO_THIRD,
    TO_VECTOR, /* vector registers likewise */
    TO_VECTOR_RM,
    TO_VECTOR_THIRD,
};

/* Without prefix these are about MMX registers; with 66 about vectors. */
static bool is_integer_0f(unsigned op)
{
    return between(op, 0x60, 0x6F) || between(op, 0x70, 0x76) || op == 0xC4 ||
           between(op, 0xD1, 0xFE);
}

static enum result vector_0f(const struct insn *insn, unsigned pp)
{
    unsigned op = insn->opcode;
    bool legacy = insn->space == SPACE_LEGACY;
    switch (op) {
    case 0x11:
    case 0x29: return TO_VECTOR_RM;
    case 0x13:
    case 0x17:
    case 0x2B:
    case 0xE7: return TO_STORE;
    case 0x2C:
    case 0x2D: return pp < 2 ? TO_NOTHING : TO_REG;
    case 0x2E:
    case 0x2F:
    case 0x77: return TO_NOTHING;
    case 0x50:
    case 0xC5:
    case 0xD7: return TO_REG;
    case 0x71:
    case 0x72:
    case 0x73: return pp != 1 ? TO_NOTHING : legacy ? TO_VECTOR_RM : TO_VECTOR_THIRD;
    case 0x78:
    case 0x79:
        if (!legacy)
            return insn->space == SPACE_EVEX && pp >= 2 ? TO_REG : TO_VECTOR;
        return op == 0x78 && pp == 1 ? TO_VECTOR_RM : TO_VECTOR;
    case 0x7E: return pp == 2 ? TO_VECTOR : TO_RM;
    case 0x7F: return pp == 0 ? TO_STORE : TO_VECTOR_RM;
    case 0xD6: return pp == 1 ? TO_VECTOR_RM : pp == 2 ? TO_VECTOR : TO_NOTHING;
    case 0xE6:
    case 0xF0: return TO_VECTOR;
    default: break;
    }
    if (!legacy && (between(op, 0x41, 0x4F) || between(op, 0x90, 0x99))) /* mask registers */
        return op == 0x93 ? TO_REG : op == 0x91 ? TO_STORE : TO_NOTHING;
    return pp == 0 && is_integer_0f(op) ? TO_NOTHING : TO_VECTOR;
}

static enum result general_0f38(const struct insn *insn, unsigned pp)
{
    bool legacy = insn->space == SPACE_LEGACY;
    switch (insn->opcode) {
    case 0xF0: return TO_REG;
    case 0xF1: return pp == 3 ? TO_REG : TO_STORE;
    case 0xF3: return TO_THIRD;
    case 0xF6: return TO_REG;
    case 0xF9: return TO_STORE;
    case 0xF2:
    case 0xF5:
    case 0xF7: return legacy ? TO_NOTHING : TO_REG;
    default: return TO_NOTHING;
    }
}

static enum result vector_0f38(const struct insn *insn, unsigned pp)
{
    unsigned op = insn->opcode;
    bool evex = insn->space == SPACE_EVEX;
    if (between(op, 0xF0, 0xFF))
        return evex ? TO_NOTHING : general_0f38(insn, pp);
    if (insn->space == SPACE_LEGACY)
        return (pp == 0 && op < 0xC8) || op == 0x17 || op == 0x80 || op == 0x81 || op == 0x82 ||
                       (pp == 2 && op >= 0xD8)
                   ? TO_NOTHING
                   : TO_VECTOR;
    if (evex && pp == 2 && op < 0x40 && (op >> 3 & 1) == 0 && (op & 7) < 6 && op >= 0x10)
        return TO_VECTOR_RM; /* narrowing moves */
    switch (op) {
    case 0x0E:
    case 0x0F:
    case 0x17: return evex ? TO_VECTOR : TO_NOTHING;
    case 0x2E:
    case 0x2F:
    case 0x8E: return TO_STORE;
    case 0x49:
    case 0x4B:
    case 0x5C:
    case 0x5E: return evex ? TO_VECTOR : TO_NOTHING;
    case 0x63:
    case 0x8A:
    case 0x8B: return TO_VECTOR_RM;
    case 0xA0:
    case 0xA1:
    case 0xA2:
    case 0xA3: return evex ? TO_STORE : TO_VECTOR;
    default: return TO_VECTOR;
    }
}

static enum result vector_0f3a(const struct insn *insn, unsigned pp)
{
    unsigned op = insn->opcode;
    switch (op) {
    case 0x14:
    case 0x15:
    case 0x16:
    case 0x17: return TO_RM;
    case 0x19:
    case 0x1B:
    case 0x1D:
    case 0x39:
    case 0x3B: return TO_VECTOR_RM;
    case 0x60:
    case 0x61:
    case 0x62:
    case 0x63: return TO_NOTHING; /* implied */
    case 0xF0: return insn->space == SPACE_VEX ? TO_REG : TO_NOTHING;
    default: break;
    }
    if (insn->space == SPACE_VEX && between(op, 0x30, 0x33))
        return TO_NOTHING;
    return insn->space == SPACE_LEGACY && pp == 0 && op == 0x0F ? TO_NOTHING : TO_VECTOR;
}

static enum result vector_xop(const struct insn *insn)
{
    if (insn->map == 10)
        return insn->opcode == 0x10 ? TO_REG : TO_NOTHING;
    if (insn->map == 9 && insn->opcode < 0x10)
        return TO_THIRD;
    return insn->map == 9 && insn->opcode == 0x12 ? TO_NOTHING : TO_VECTOR;
}

static enum result vector_result(const struct insn *insn)
{
    unsigned pp = opcodes_mandatory(insn->prefixes);
    if (insn->space == SPACE_XOP)
        return vector_xop(insn);
    switch (insn->map) {
    case 1: return vector_0f(insn, pp);
    case 2: return vector_0f38(insn, pp);
    case 3: return vector_0f3a(insn, pp);
    default: return TO_NOTHING;
    }
}

static void vector_set(const struct insn *insn, const struct fields *f, unsigned reg,
                       struct operands *ret)
{
    if (insn->space == SPACE_EVEX) /* there are 32, and 64 bytes wide */
        return;
    ret->vector = (uint8_t)reg;
    ret->vector_bytes = f->wide ? 32 : 16;
}

/* Those that are like no others. */
static void vector_implied(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned op = insn->opcode;
    if (insn->map == 3 && insn->space != SPACE_XOP && between(op, 0x60, 0x63)) {
        if (op & 1)
            ret->results = set_of(CX); /* pcmpestri, pcmpistri */
        else
            vector_set(insn, f, 0, ret);
    }
    if (insn->map == 2 && insn->space == SPACE_VEX && op == 0xF6 &&
        opcodes_mandatory(insn->prefixes) == 3)
        ret->results |= set_of(f->third); /* mulx */
    if (insn->map == 1 && op == 0xF7) {   /* maskmovq, maskmovdqu */
        ret->destination = true;
        ret->destination_access = ACCESS_WRITE;
        ret->vector = VECTOR_NONE;
    }
    if (insn->map == 1 && insn->space == SPACE_VEX && op == 0xAE) {
        ret->access = (f->reg & 7) == 2 ? ACCESS_READ : ACCESS_WRITE;
        ret->vector = VECTOR_NONE;
    }
    /* Tiles, and stores with an address in a register: an operand that is not all that is touched.
     */
    bool tiles = insn->map == 2 && insn->space == SPACE_VEX &&
                 (op == 0x49 || op == 0x4B || op == 0x5C || op == 0x5E);
    if (tiles)
        ret->access = ACCESS_NONE;
}

static bool is_gather(const struct insn *insn)
{
    if (insn->map != 2 || insn->space == SPACE_LEGACY || insn->space == SPACE_XOP)
        return false;
    bool evex = insn->space == SPACE_EVEX;
    return between(insn->opcode, 0x90, 0x93) ||
           (evex && (between(insn->opcode, 0xA0, 0xA3) || between(insn->opcode, 0xC6, 0xC7)));
}

static void to_memory_or(const struct insn *insn, uint16_t results, struct operands *ret)
{
    if (in_memory(insn))
        ret->access = ACCESS_WRITE;
    else
        ret->results = results;
}

void operands_vector(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    enum result result = vector_result(insn);
    ret->access = ACCESS_READ;
    switch (result) {
    case TO_NOTHING: break;
    case TO_STORE: ret->access = ACCESS_WRITE; break;
    case TO_REG: ret->results = set_of(f->reg); break;
    case TO_RM: to_memory_or(insn, set_of(f->rm), ret); break;
    case TO_THIRD: ret->results = set_of(f->third); break;
    case TO_VECTOR: vector_set(insn, f, f->reg, ret); break;
    case TO_VECTOR_RM:
        if (in_memory(insn))
            ret->access = ACCESS_WRITE;
        else
            vector_set(insn, f, f->rm, ret);
        break;
    case TO_VECTOR_THIRD: vector_set(insn, f, f->third, ret); break;
    }
    vector_implied(insn, f, ret);
    ret->gathers = is_gather(insn);
    if (ret->gathers)
        ret->mask = insn->space == SPACE_VEX ? (uint8_t)f->third : VECTOR_NONE;
}
