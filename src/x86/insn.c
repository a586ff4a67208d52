#include "x86/insn.h"

#include "x86/opcodes.h"

enum { LONGEST = 15 };

/* The bytes, how many of them may be read, and how far we are. */
struct cursor {
    const uint8_t *bytes;
    unsigned at, end;
};

static int64_t load_signed(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;
    switch (bytes) {
    case 1: return (int8_t)p[0];
    case 2: return (int16_t)(p[0] | p[1] << 8);
    case 8:
        value = (uint64_t)p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24;
        value <<= 32;
        return (int64_t)(value | p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
                         (uint64_t)p[3] << 24);
    default:
        return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
                         (uint32_t)p[3] << 24);
    }
}

static uint8_t prefix_bit(uint8_t byte)
{
    switch (byte) {
    case 0x64: return PREFIX_FS;
    case 0x65: return PREFIX_GS;
    case 0x66: return PREFIX_66;
    case 0x67: return PREFIX_67;
    case 0xF0: return PREFIX_LOCK;
    case 0xF2: return PREFIX_F2;
    case 0xF3: return PREFIX_F3;
    default: return 0; /* the other segments mean nothing in 64-bit mode */
    }
}

/* Leaves the cursor on the first byte that is no prefix. A REX counts only right before the opcode,
 * and of F2 and F3 only the last. */
static bool take_prefixes(struct cursor *in, struct insn *ret)
{
    for (; in->at < in->end; in->at++) {
        uint8_t byte = in->bytes[in->at];
        if (opcodes_one_byte[byte].has != HAS_PREFIX)
            return true;
        if ((byte & 0xF0) == 0x40) {
            ret->rex = byte;
            continue;
        }
        uint8_t bit = prefix_bit(byte);
        if (bit & (PREFIX_F2 | PREFIX_F3))
            ret->prefixes &= (uint8_t) ~(PREFIX_F2 | PREFIX_F3);
        ret->prefixes |= bit;
        ret->rex = 0;
    }
    return false;
}

static bool take_modrm(struct cursor *in, struct insn *ret, bool registers_only)
{
    if (in->at >= in->end)
        return false;
    uint8_t modrm = in->bytes[in->at];
    ret->has_modrm = true;
    ret->modrm = modrm;
    ret->modrm_at = (uint8_t)in->at++;
    if (modrm >= 0xC0 || registers_only)
        return true;
    unsigned mod = modrm >> 6, base = modrm & 7;
    bool has_sib = base == 4;
    if (has_sib) {
        if (in->at >= in->end)
            return false;
        ret->sib = in->bytes[in->at++];
        base = ret->sib & 7;
    }
    ret->rip_relative = mod == 0 && base == 5 && !has_sib;
    ret->disp_bytes = mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
    if (ret->disp_bytes == 0)
        return true;
    ret->disp_at = (uint8_t)in->at;
    in->at += ret->disp_bytes;
    if (in->at > in->end)
        return false;
    ret->disp = (int32_t)load_signed(in->bytes + ret->disp_at, ret->disp_bytes);
    return true;
}

/* Bytes of the first immediate; *ret_second those of a second one. */
static unsigned immediate_bytes(const struct insn *insn, unsigned has, unsigned *ret_second)
{
    bool wide = insn->rex & 8;
    unsigned z = (insn->prefixes & PREFIX_66) && !wide ? 2 : 4;
    bool test = !(insn->modrm & 0x30);
    switch (has & 15) {
    case HAS_8: return 1;
    case HAS_16: return 2;
    case HAS_Z: return z;
    case HAS_V: return wide ? 8 : z;
    case HAS_32: return 4;
    case HAS_ADDRESS: return insn->prefixes & PREFIX_67 ? 4 : 8;
    case HAS_16_8: *ret_second = 1; return 2;
    case HAS_TEST_8: return test ? 1 : 0;
    case HAS_TEST_Z: return test ? z : 0;
    case HAS_VMREAD_8:
        if (opcodes_mandatory(insn->prefixes) == 0)
            return 0;
        *ret_second = 1;
        return 1;
    default: return 0;
    }
}

static bool take_immediate(struct cursor *in, struct insn *ret, unsigned has)
{
    if ((has & 15) == HAS_NOTHING)
        return true;
    unsigned second = 0, first = immediate_bytes(ret, has, &second);
    if (first == 0)
        return true;
    ret->imm_at = (uint8_t)in->at;
    ret->imm_bytes = (uint8_t)first;
    in->at += first + second;
    if (in->at > in->end)
        return false;
    ret->imm = load_signed(in->bytes + ret->imm_at, first);
    return true;
}

static bool take_operands(struct cursor *in, struct insn *ret, unsigned has)
{
    if ((has & HAS_MODRM) && !take_modrm(in, ret, has & HAS_REGISTERS))
        return false;
    return take_immediate(in, ret, has);
}

static bool finish(const struct cursor *in, struct insn *ret, uint8_t verdict)
{
    if (verdict == REFUSE(UNDECODED))
        return false;
    if (ret->prefixes & (PREFIX_LOCK | PREFIX_GS | PREFIX_67)) {
        if ((ret->prefixes & PREFIX_LOCK) && !opcodes_lockable(ret))
            return false;
        if (verdict >> 4 == REFUSAL_NONE) {
            if (ret->prefixes & PREFIX_GS)
                verdict = REFUSE(GS);
            else if ((ret->prefixes & PREFIX_67) && ret->rip_relative)
                verdict = REFUSE(ODD_BRANCH);
        }
    }
    ret->class = verdict & 15;
    ret->refusal = verdict >> 4;
    ret->length = (uint8_t)in->at;
    return true;
}

static unsigned vector_has(const struct insn *insn)
{
    unsigned op = insn->opcode;
    switch (insn->map) {
    case 1:
        if (op == 0x77)
            return HAS_NOTHING; /* vzeroupper */
        if ((op >= 0x70 && op <= 0x73) || op == 0xC2 || (op >= 0xC4 && op <= 0xC6))
            return HAS_MODRM | HAS_8;
        return HAS_MODRM;
    case 3:
    case 8: return HAS_MODRM | HAS_8;
    case 10: return HAS_MODRM | HAS_32;
    default: return HAS_MODRM;
    }
}

/* VEX, EVEX and XOP: the cursor is behind the prefix's own bytes. The fields that only choose
 * registers or sizes are not looked at: a wrong one traps in the copy as in the original. */
static bool decode_vector(struct cursor *in, struct insn *ret, unsigned space, unsigned map,
                          unsigned last)
{
    static const uint8_t bits[4] = {0, PREFIX_66, PREFIX_F3, PREFIX_F2};
    if (in->at >= in->end || ret->rex ||
        (ret->prefixes & (PREFIX_66 | PREFIX_F2 | PREFIX_F3 | PREFIX_LOCK)))
        return false;
    unsigned pp = last & 3;
    ret->space = (uint8_t)space;
    ret->map = (uint8_t)map;
    ret->rex = last & 0x80 ? 0x48 : 0;
    ret->prefixes |= bits[pp];
    ret->opcode_at = (uint8_t)in->at;
    ret->opcode = in->bytes[in->at++];
    if (!(opcodes_with(space, map, ret->opcode) >> pp & 1))
        return false;
    return take_operands(in, ret, vector_has(ret)) && finish(in, ret, INSN_PLAIN);
}

static bool decode_vex2(struct cursor *in, struct insn *ret)
{
    if (in->at + 2 > in->end)
        return false;
    unsigned last = in->bytes[in->at + 1];
    in->at += 2;
    return decode_vector(in, ret, SPACE_VEX, 1, last & 0x7F);
}

static bool decode_vex3(struct cursor *in, struct insn *ret, unsigned space)
{
    if (in->at + 3 > in->end)
        return false;
    unsigned map = in->bytes[in->at + 1] & 31, last = in->bytes[in->at + 2];
    in->at += 3;
    return decode_vector(in, ret, space, map, last);
}

static bool decode_evex(struct cursor *in, struct insn *ret)
{
    if (in->at + 4 > in->end)
        return false;
    unsigned first = in->bytes[in->at + 1], last = in->bytes[in->at + 2];
    in->at += 4;
    if ((first & 8) || !(last & 4))
        return false;
    return decode_vector(in, ret, SPACE_EVEX, first & 7, last);
}

static bool decode_short(struct cursor *in, struct insn *ret, const struct opcode *opcode)
{
    if (!take_operands(in, ret, opcode->has))
        return false;
    return finish(in, ret, opcode->group ? opcodes_judge(ret, opcode) : opcode->verdict);
}

static bool decode_0f(struct cursor *in, struct insn *ret)
{
    if (++in->at >= in->end)
        return false;
    uint8_t byte = in->bytes[in->at];
    if (byte == 0x38 || byte == 0x3A) {
        if (++in->at >= in->end)
            return false;
        ret->map = byte == 0x38 ? 2 : 3;
        ret->opcode_at = (uint8_t)in->at;
        ret->opcode = in->bytes[in->at++];
        if (!(opcodes_with(SPACE_LEGACY, ret->map, ret->opcode) >>
                  opcodes_mandatory(ret->prefixes) &
              1))
            return false;
        return take_operands(in, ret, ret->map == 2 ? HAS_MODRM : HAS_MODRM | HAS_8) &&
               finish(in, ret, opcodes_judge_long(ret));
    }
    const struct opcode *opcode = &opcodes_0f[byte];
    if (!(opcode->with >> opcodes_mandatory(ret->prefixes) & 1))
        return false;
    ret->map = 1;
    ret->opcode = byte;
    ret->opcode_at = (uint8_t)in->at++;
    return decode_short(in, ret, opcode);
}

static bool decode(struct cursor *in, struct insn *ret)
{
    if (!take_prefixes(in, ret))
        return false;
    uint8_t byte = in->bytes[in->at];
    const struct opcode *opcode = &opcodes_one_byte[byte];
    switch (byte) {
    case 0x0F: return decode_0f(in, ret);
    case 0x62: return decode_evex(in, ret);
    case 0xC4: return decode_vex3(in, ret, SPACE_VEX);
    case 0xC5: return decode_vex2(in, ret);
    case 0x8F:
        if (in->at + 1 < in->end && (in->bytes[in->at + 1] & 31) >= 8)
            return decode_vex3(in, ret, SPACE_XOP);
        break;
    default:
        if (!opcode->with)
            return false;
    }
    ret->opcode = byte;
    ret->opcode_at = (uint8_t)in->at++;
    return decode_short(in, ret, opcode);
}

bool insn_decode(const uint8_t *bytes, size_t room, struct insn *ret)
{
    struct cursor in = {bytes, 0, room < LONGEST ? (unsigned)room : LONGEST};
    *ret = (struct insn){0};
    if (decode(&in, ret))
        return true;
    *ret = (struct insn){.class = INSN_REFUSED, .refusal = REFUSAL_UNDECODED};
    return false;
}
