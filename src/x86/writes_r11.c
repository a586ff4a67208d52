#include "x86/writes_r11.h"

/* Which operands of an instruction with ModRM are written. */
enum { WRITES_NONE, WRITES_RM, WRITES_REG, WRITES_BOTH };

static uint32_t written_one_byte(uint8_t op, uint8_t reg)
{
    if (op >= 0x38 && op < 0x40) /* cmp */
        return WRITES_NONE;
    if (op < 0x40)
        return op & 2 ? WRITES_REG : WRITES_RM;
    switch (op) {
    case 0x84: /* test */
    case 0x85: return WRITES_NONE;
    case 0x80:
    case 0x81:
    case 0x83: return reg == 7 ? WRITES_NONE : WRITES_RM; /* cmp */
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0x8a:
    case 0x8b:
    case 0x8d: return WRITES_REG;
    case 0x86:
    case 0x87: return WRITES_BOTH; /* xchg */
    default: return WRITES_RM;
    }
}

/* Of map 1: writes vector registers only. */
static bool is_vector(uint8_t op)
{
    return (op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f && op != 0x2c && op != 0x2d) ||
           (op >= 0x51 && op <= 0x7f && op != 0x78 && op != 0x79 && op != 0x7e) || op == 0xc2 ||
           op == 0xc4 || op == 0xc6 || (op >= 0xd0 && op != 0xd7);
}

static uint32_t written_two_bytes(uint8_t op)
{
    if (is_vector(op))
        return WRITES_NONE;
    if ((op >= 0x40 && op <= 0x50) || op == 0xaf || op == 0xb6 || op == 0xb7 || op == 0xbe ||
        op == 0xbf)
        return WRITES_REG;
    return op >= 0x90 && op <= 0x9f ? WRITES_RM : WRITES_BOTH;
}

static bool writes_legacy(const struct insn *insn)
{
    enum { REX_B = 1, REX_R = 4, LOW = 11 & 7 };
    uint8_t reg = insn->modrm >> 3 & 7;
    if (!(insn->rex & (REX_B | REX_R)))
        return false;
    if (!insn->has_modrm)
        return (insn->rex & REX_B) && (insn->opcode & 7) == LOW;
    uint32_t written = insn->map == 0   ? written_one_byte(insn->opcode, reg)
                       : insn->map == 1 ? written_two_bytes(insn->opcode)
                                        : WRITES_BOTH;
    bool is_rm = (insn->rex & REX_B) && insn->modrm >= 0xc0 && (insn->modrm & 7) == LOW;
    bool is_reg = (insn->rex & REX_R) && reg == LOW;
    return ((written & WRITES_RM) && is_rm) || ((written & WRITES_REG) && is_reg);
}

/* Those with a general register as result; which one is not looked at. */
static bool has_result_vex(const struct insn *insn)
{
    uint8_t op = insn->opcode;
    switch (insn->map) {
    case 1: return !is_vector(op);
    case 2: return op >= 0xe0;
    case 3: return (op >= 0x14 && op <= 0x17) || op >= 0xf0;
    default: return true;
    }
}

static bool has_result_evex(const struct insn *insn)
{
    uint8_t op = insn->opcode;
    switch (insn->map) {
    case 1:
    case 5: return op == 0x2c || op == 0x2d || op == 0x78 || op == 0x79 || op == 0x7e || op == 0xc5;
    case 2:
    case 6: return false;
    case 3: return op >= 0x14 && op <= 0x17;
    default: return true;
    }
}

bool insn_writes_r11(const struct insn *insn)
{
    switch (insn->space) {
    case SPACE_LEGACY: return writes_legacy(insn);
    case SPACE_VEX: return has_result_vex(insn);
    case SPACE_EVEX: return has_result_evex(insn);
    default: return true;
    }
}
