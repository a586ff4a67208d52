#include "x86/operands.h"

#include "x86/evex_unit.h"
#include "x86/fields.h"
#include "x86/opcodes.h"

static struct fields fields_of(const struct insn *insn, const uint8_t *bytes)
{
    const uint8_t *op = bytes + insn->opcode_at;
    unsigned bits = insn->rex & 7u, third = 0;
    bool wide = false;
    if (insn->space == SPACE_EVEX) {
        bits = ~(unsigned)op[-3] >> 5 & 7u;
        third = ~(unsigned)op[-2] >> 3 & 15u;
        wide = op[-1] & 0x60;
    } else if (insn->space == SPACE_VEX && op[-2] == 0xC5) {
        bits = ~(unsigned)op[-1] >> 5 & 4u;
        third = ~(unsigned)op[-1] >> 3 & 15u;
        wide = op[-1] & 4;
    } else if (insn->space != SPACE_LEGACY) {
        bits = ~(unsigned)op[-2] >> 5 & 7u;
        third = ~(unsigned)op[-1] >> 3 & 15u;
        wide = op[-1] & 4;
    }
    return (struct fields){.reg = (insn->modrm >> 3 & 7u) | (bits & 4) << 1,
                           .rm = (insn->modrm & 7u) | (bits & 1) << 3,
                           .third = third,
                           .bits = bits,
                           .wide = wide};
}

/* The general register that an 8-bit operand is part of: without REX, 4 to 7 are %ah to %bh. */
static uint16_t byte_set(const struct insn *insn, unsigned reg)
{
    return set_of(insn->rex || reg > 7 ? reg : reg & 3);
}

/* ---- one-byte opcodes */

/* The operand of ModRM.rm is a result; `byte`: of 8 bits. */
static void to_rm(const struct insn *insn, const struct fields *f, bool byte, uint8_t access,
                  struct operands *ret)
{
    if (in_memory(insn))
        ret->access = access;
    else
        ret->results |= byte ? byte_set(insn, f->rm) : set_of(f->rm);
}

static void to_reg(const struct insn *insn, const struct fields *f, bool byte, struct operands *ret)
{
    ret->access = ACCESS_READ;
    ret->results |= byte ? byte_set(insn, f->reg) : set_of(f->reg);
}

static void arithmetic(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned form = insn->opcode & 7;
    bool compares = insn->opcode >= 0x38;
    if (form < 2 && !compares)
        to_rm(insn, f, form == 0, ACCESS_BOTH, ret);
    else if (form < 4 && !compares)
        to_reg(insn, f, form == 2, ret);
    else if (form >= 4)
        ret->results = compares ? 0 : set_of(AX);
    else
        ret->access = ACCESS_READ;
}

static void pushes(const struct insn *insn, enum operand_stack stack, struct operands *ret)
{
    ret->stack = (uint8_t)stack;
    ret->stack_bytes = (insn->prefixes & PREFIX_66) && !(insn->rex & 8) ? 2 : 8;
}

/* F6, F7 */
static void unary(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    bool byte = insn->opcode == 0xF6;
    unsigned reg = f->reg & 7;
    if (reg == 2 || reg == 3) {
        to_rm(insn, f, byte, ACCESS_BOTH, ret);
        return;
    }
    ret->access = ACCESS_READ;
    if (reg >= 4)
        ret->results = (uint16_t)(set_of(AX) | (byte ? 0 : set_of(DX)));
    if (reg >= 6 && !in_memory(insn))
        ret->inputs = byte ? byte_set(insn, f->rm) : set_of(f->rm);
}

static void group_ff(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    switch (f->reg & 7) {
    case 0:
    case 1: to_rm(insn, f, insn->opcode == 0xFE, ACCESS_BOTH, ret); return;
    case 2:
        pushes(insn, STACK_PUSH, ret);
        ret->stack_bytes = 8;
        ret->access = ACCESS_READ;
        return;
    case 6: pushes(insn, STACK_PUSH, ret); __attribute__((fallthrough));
    default: ret->access = ACCESS_READ;
    }
}

static void x87(const struct insn *insn, struct operands *ret)
{
    /* Of each opcode, the ModRM.reg values that store. */
    static const uint8_t stores[8] = {0, 0xCC, 0, 0x8E, 0, 0xCE, 0, 0xCE};
    ret->access =
        stores[insn->opcode & 7] >> (insn->modrm >> 3 & 7) & 1 ? ACCESS_WRITE : ACCESS_READ;
    if (insn->opcode == 0xDF && insn->modrm == 0xE0)
        ret->results = set_of(AX); /* fnstsw */
}

static void strings(const struct insn *insn, struct operands *ret)
{
    unsigned op = insn->opcode & ~1u;
    ret->repeated = insn->prefixes & (PREFIX_F2 | PREFIX_F3);
    ret->source = op == 0xA4 || op == 0xA6 || op == 0xAC;
    ret->destination = op != 0xAC;
    ret->destination_access = op == 0xA4 || op == 0xAA ? ACCESS_WRITE : ACCESS_READ;
    if (op == 0xAC)
        ret->results = set_of(AX);
}

static void moves(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    bool byte = insn->opcode == 0x88;
    to_rm(insn, f, byte, ACCESS_WRITE, ret);
    if (in_memory(insn))
        ret->inputs = byte ? byte_set(insn, f->reg) : set_of(f->reg);
}

static void exchanges(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    bool byte = insn->opcode == 0x86;
    to_reg(insn, f, byte, ret);
    to_rm(insn, f, byte, ACCESS_BOTH, ret);
    if (in_memory(insn))
        ret->inputs = byte ? byte_set(insn, f->reg) : set_of(f->reg);
}

static void exchanges_ax(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned other = (insn->opcode & 7u) | (f->bits & 1) << 3;
    if (other != AX && !(insn->opcode == 0x90 && (insn->prefixes & PREFIX_F3))) /* pause */
        ret->results = (uint16_t)(set_of(AX) | set_of(other));
}

static void shifts(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    to_rm(insn, f, !(insn->opcode & 1), ACCESS_BOTH, ret);
    if (insn->opcode >= 0xD2)
        ret->inputs = set_of(CX);
}

static void one_byte_low(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned op = insn->opcode, low = (op & 7u) | (f->bits & 1) << 3;
    if (op < 0x40) {
        arithmetic(insn, f, ret);
        return;
    }
    switch (op) {
    case 0x63:
    case 0x69:
    case 0x6B: to_reg(insn, f, false, ret); return;
    case 0x68:
    case 0x6A: pushes(insn, STACK_PUSH, ret); return;
    default: break;
    }
    if (between(op, 0x50, 0x5F)) {
        pushes(insn, op < 0x58 ? STACK_PUSH : STACK_POP, ret);
        ret->results = op < 0x58 ? 0 : set_of(low);
    }
}

static void one_byte_moves(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    switch (insn->opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
        if ((f->reg & 7) == 7)
            ret->access = ACCESS_READ;
        else
            to_rm(insn, f, insn->opcode == 0x80, ACCESS_BOTH, ret);
        return;
    case 0x84:
    case 0x85: ret->access = ACCESS_READ; return;
    case 0x86:
    case 0x87: exchanges(insn, f, ret); return;
    case 0x88:
    case 0x89: moves(insn, f, ret); return;
    case 0x8A:
    case 0x8B: to_reg(insn, f, insn->opcode == 0x8A, ret); return;
    case 0x8C: to_rm(insn, f, false, ACCESS_WRITE, ret); return;
    case 0x8D: ret->results = set_of(f->reg); return;
    case 0x8E: ret->access = ACCESS_READ; return;
    case 0x8F:
        to_rm(insn, f, false, ACCESS_WRITE, ret);
        pushes(insn, STACK_POP, ret);
        return;
    default: return;
    }
}

static void one_byte_high(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned op = insn->opcode;
    switch (op) {
    case 0x98:
    case 0x9F: ret->results = set_of(AX); return;
    case 0x99: ret->results = set_of(DX); return;
    case 0x9C: pushes(insn, STACK_PUSH, ret); return;
    case 0x9D: pushes(insn, STACK_POP, ret); return;
    case 0xA0:
    case 0xA1:
        ret->access = ACCESS_READ;
        ret->results = set_of(AX);
        return;
    case 0xA2:
    case 0xA3:
        ret->access = ACCESS_WRITE;
        ret->inputs = set_of(AX);
        return;
    case 0xC2:
    case 0xC3:
        pushes(insn, STACK_POP, ret);
        ret->stack_bytes = 8;
        return;
    case 0xC6:
    case 0xC7:
        if (insn->modrm == 0xF8) /* xabort, xbegin */
            ret->results = set_of(AX);
        else
            to_rm(insn, f, op == 0xC6, ACCESS_WRITE, ret);
        return;
    case 0xC8:
        pushes(insn, STACK_PUSH, ret);
        ret->results = set_of(BP);
        return;
    case 0xC9:
        pushes(insn, STACK_LEAVE, ret);
        ret->results = set_of(BP);
        return;
    case 0xD7: ret->results = set_of(AX); return;
    case 0xE8:
        pushes(insn, STACK_PUSH, ret);
        ret->stack_bytes = 8;
        return;
    case 0xF6:
    case 0xF7: unary(insn, f, ret); return;
    case 0xFE:
    case 0xFF: group_ff(insn, f, ret); return;
    default: break;
    }
    if (between(op, 0x91, 0x97) || op == 0x90)
        exchanges_ax(insn, f, ret);
    else if (between(op, 0xA4, 0xA7) || between(op, 0xAA, 0xAF))
        strings(insn, ret);
    else if (between(op, 0xB0, 0xBF)) {
        unsigned low = (op & 7u) | (f->bits & 1) << 3;
        ret->results = op < 0xB8 ? byte_set(insn, low) : set_of(low);
    } else if (between(op, 0xC0, 0xC1) || between(op, 0xD0, 0xD3))
        shifts(insn, f, ret);
    else if (between(op, 0xD8, 0xDF))
        x87(insn, ret);
}

/* ---- 0F: what is not about vectors. False: it is. */

static void group_state(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned pp = opcodes_mandatory(insn->prefixes), reg = f->reg & 7;
    if (!in_memory(insn)) {
        if (pp == 2 && reg == 0)
            ret->results = set_of(f->rm); /* rdfsbase */
        return;
    }
    if (pp == 2 && reg == 4)
        ret->access = ACCESS_READ; /* ptwrite */
    else if (pp == 0) /* fxsave, fxrstor, ldmxcsr, stmxcsr, xsave, xrstor, xsaveopt; clflush */
        ret->access = reg == 7 ? ACCESS_NONE : 0x2E >> reg & 1 ? ACCESS_READ : ACCESS_WRITE;
    if (pp == 0 && (reg == 3))
        ret->access = ACCESS_WRITE;
    if (pp == 0 && (reg == 4 || reg == 6)) /* the header of the area is read, too */
        ret->access = ACCESS_BOTH;
}

static void group_c7(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    if (!in_memory(insn))
        ret->results = set_of(f->rm); /* rdrand, rdseed, rdpid */
    else if ((f->reg & 7) == 1) {
        ret->access = ACCESS_BOTH;
        ret->results = (uint16_t)(set_of(AX) | set_of(DX));
    } else
        ret->access = ACCESS_WRITE; /* xsavec */
}

static void group_system(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned reg = f->reg & 7;
    if (insn->opcode == 0x00 && reg < 2)
        to_rm(insn, f, false, ACCESS_WRITE, ret);
    else if (insn->opcode == 0x00 || in_memory(insn))
        ret->access = insn->opcode == 0x00 ? ACCESS_READ : ACCESS_WRITE;
    else if (reg == 4)
        ret->results = set_of(f->rm); /* smsw */
    else if (insn->modrm == 0xF9)     /* rdtscp */
        ret->results = (uint16_t)(set_of(AX) | set_of(CX) | set_of(DX));
    else if (insn->modrm == 0xD0 || insn->modrm == 0xEE ||
             insn->modrm == 0xFD) /* xgetbv; rdpkru, rdpru */
        ret->results = (uint16_t)(set_of(AX) | set_of(DX));
}

static bool two_byte_special(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    switch (insn->opcode) {
    case 0x00:
    case 0x01: group_system(insn, f, ret); return true;
    case 0x31:
    case 0x33: ret->results = (uint16_t)(set_of(AX) | set_of(DX)); return true;
    case 0xA0:
    case 0xA8: pushes(insn, STACK_PUSH, ret); return true;
    case 0xA2: ret->results = 0xF; return true;
    case 0xA3: ret->access = ACCESS_READ; return true;
    case 0xA5:
    case 0xAD: ret->inputs = set_of(CX); __attribute__((fallthrough));
    case 0xA4:
    case 0xAC:
    case 0xAB:
    case 0xB3:
    case 0xBB: to_rm(insn, f, false, ACCESS_BOTH, ret); return true;
    case 0xAE: group_state(insn, f, ret); return true;
    case 0xB0:
    case 0xB1:
        ret->results = set_of(AX);
        ret->inputs = in_memory(insn) ? set_of(AX) : 0;
        to_rm(insn, f, insn->opcode == 0xB0, ACCESS_BOTH, ret);
        return true;
    case 0xBA:
        if ((f->reg & 7) == 4)
            ret->access = ACCESS_READ;
        else
            to_rm(insn, f, false, ACCESS_BOTH, ret);
        return true;
    case 0xC0:
    case 0xC1:
        to_reg(insn, f, insn->opcode == 0xC0, ret);
        to_rm(insn, f, insn->opcode == 0xC0, ACCESS_BOTH, ret);
        return true;
    case 0xC3:
        ret->access = ACCESS_WRITE;
        ret->inputs = set_of(f->reg);
        return true;
    case 0xC7: group_c7(insn, f, ret); return true;
    default: return false;
    }
}

static bool two_byte_general(const struct insn *insn, const struct fields *f, struct operands *ret)
{
    unsigned op = insn->opcode;
    if (between(op, 0x40, 0x4F) || between(op, 0xB6, 0xB7) || between(op, 0xBC, 0xBF) ||
        op == 0xAF || op == 0xB8 || between(op, 0x02, 0x03))
        to_reg(insn, f, false, ret);
    else if (between(op, 0x90, 0x9F))
        to_rm(insn, f, true, ACCESS_WRITE, ret);
    else if (between(op, 0xC8, 0xCF))
        ret->results = set_of((op & 7u) | (f->bits & 1) << 3);
    else if (!two_byte_special(insn, f, ret))
        return between(op, 0x04, 0x0F) || between(op, 0x18, 0x27) || between(op, 0x80, 0x8F) ||
               between(op, 0x30, 0x3F);
    return true;
}

/* ---- all */

static void address(const struct insn *insn, const uint8_t *bytes, const struct fields *f,
                    struct operands *ret)
{
    bool has_sib = (insn->modrm & 7) == 4;
    bool scaled = insn->space == SPACE_EVEX && insn->disp_bytes == 1;
    ret->unit = scaled ? evex_unit(insn, bytes) : 1;
    ret->bits = f->bits & 3;
    ret->base = (uint8_t)f->rm;
    if (has_sib) {
        unsigned index = (insn->sib >> 3 & 7u) | (f->bits & 2) << 2;
        ret->base = (uint8_t)((insn->sib & 7u) | (f->bits & 1) << 3);
        ret->index = index == SP && !ret->gathers ? NO_REGISTER : (uint8_t)index;
    }
    bool bare = has_sib ? (insn->sib & 7) == 5 && insn->modrm < 0x40 : insn->rip_relative;
    if (bare)
        ret->base = NO_REGISTER;
}

/* Conservative: also vectors of these numbers. */
static bool names_extended(const struct insn *insn, const struct fields *f)
{
    return f->bits || (insn->space != SPACE_LEGACY && f->third > 7);
}

void insn_operands(const struct insn *insn, const uint8_t *bytes, struct operands *ret)
{
    struct fields f = fields_of(insn, bytes);
    *ret = (struct operands){.base = NO_REGISTER,
                             .index = NO_REGISTER,
                             .mask = VECTOR_NONE,
                             .vector = VECTOR_NONE,
                             .unit = 1};
    if (insn->space != SPACE_LEGACY || insn->map > 1 ||
        (insn->map == 1 && !two_byte_general(insn, &f, ret)))
        operands_vector(insn, &f, ret);
    else if (insn->map == 0 && insn->opcode < 0x80)
        one_byte_low(insn, &f, ret);
    else if (insn->map == 0 && insn->opcode < 0x90)
        one_byte_moves(insn, &f, ret);
    else if (insn->map == 0)
        one_byte_high(insn, &f, ret);
    bool absolute =
        insn->space == SPACE_LEGACY && insn->map == 0 && between(insn->opcode, 0xA0, 0xA3);
    if (in_memory(insn))
        address(insn, bytes, &f, ret);
    else if (!absolute)
        ret->access = ACCESS_NONE;
    ret->extended = names_extended(insn, &f);
}
