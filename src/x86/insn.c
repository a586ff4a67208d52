#include "x86/insn.h"

#include "x86/opcodes.h"

enum {
    LONGEST = 15,
    /* Bytes that may be read from the first one on: prefixes up to LONGEST, then at most 4 bytes
     * of EVEX, opcode, ModRM, SIB, a displacement, and 8 bytes for an immediate. */
    READ_AHEAD = LONGEST + 4 + 3 + 4 + 8,
};
_Static_assert((int)READ_AHEAD == (int)INSN_ROOM, "what the header says");

/* Where we are. READ_AHEAD bytes from the first on are readable, so that only the final length
 * need be held against the room. */
struct cursor {
    const uint8_t *bytes;
    unsigned at;
};

/* The little-endian number of 0, 1, 2, 4 or 8 bytes, sign-extended. */
static inline int64_t load_signed(const uint8_t *p, unsigned bytes)
{
    uint64_t low = p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
    uint64_t high = p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24;
    unsigned spare = (64 - 8 * bytes) & 63;
    int64_t value = (int64_t)((low | high << 32) << spare) >> spare;
    return bytes ? value : 0;
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

static bool is_rex(uint8_t byte)
{
    return (byte & 0xF0) == 0x40;
}

/* Leaves the cursor on the first byte that is no prefix. A REX counts only right before the
 * opcode, and of F2 and F3 only the last. */
static bool take_prefixes(struct cursor *in, struct insn *ret)
{
    bool rex = is_rex(in->bytes[0]);
    ret->rex = rex ? in->bytes[0] : 0;
    in->at = rex;
    for (; opcodes_one_byte[in->bytes[in->at]].has == HAS_PREFIX; in->at++) {
        uint8_t byte = in->bytes[in->at];
        if (in->at >= LONGEST)
            return false;
        ret->rex = is_rex(byte) ? byte : 0;
        uint8_t bit = prefix_bit(byte);
        if (bit & (PREFIX_F2 | PREFIX_F3))
            ret->prefixes &= (uint8_t) ~(PREFIX_F2 | PREFIX_F3);
        ret->prefixes |= bit;
    }
    return true;
}

/* What follows ModRM, by mod and rm: bytes of displacement, and whether there is a SIB. */
enum { LAYOUT_SIB = 16, LAYOUT_RIP = 32 };
/* clang-format off */
static const uint8_t modrm_layout[32] = {
    0, 0, 0, 0, 0 | LAYOUT_SIB, 4 | LAYOUT_RIP, 0, 0,
    1, 1, 1, 1, 1 | LAYOUT_SIB, 1, 1, 1,
    4, 4, 4, 4, 4 | LAYOUT_SIB, 4, 4, 4,
};
/* clang-format on */

static bool take_modrm(struct cursor *in, struct insn *ret, unsigned has)
{
    uint8_t modrm = in->bytes[in->at];
    ret->has_modrm = true;
    ret->modrm = modrm;
    ret->modrm_at = (uint8_t)in->at++;
    unsigned layout = modrm_layout[(modrm >> 3 & 24) | (modrm & 7)];
    if (has & HAS_REGISTERS)
        layout = 0;
    unsigned sib = in->bytes[in->at], has_sib = layout / LAYOUT_SIB & 1;
    unsigned bare_index = has_sib & (modrm < 0x40) & ((sib & 7) == 5);
    in->at += has_sib;
    ret->sib = (uint8_t)(sib & -has_sib);
    ret->rip_relative = layout & LAYOUT_RIP;
    ret->disp_bytes = (uint8_t)(layout & 7) | (uint8_t)(bare_index << 2);
    ret->disp_at = ret->disp_bytes ? (uint8_t)in->at : 0;
    ret->disp = (int32_t)load_signed(in->bytes + in->at, ret->disp_bytes);
    in->at += ret->disp_bytes;
    return !(has & (modrm >= 0xC0 ? HAS_MEMORY : HAS_NO_MEMORY));
}

/* Bytes of the first immediate, for the kinds that ask more than 66 and REX.W; *ret_second those
 * of a second one. */
static unsigned immediate_bytes(const struct insn *insn, unsigned kind, unsigned *ret_second)
{
    bool test = !(insn->modrm & 0x30);
    switch (kind) {
    case HAS_ADDRESS: return insn->prefixes & PREFIX_67 ? 4 : 8;
    case HAS_16_8: *ret_second = 1; return 2;
    case HAS_TEST_8: return test ? 1 : 0;
    case HAS_TEST_Z: return !test ? 0 : (insn->prefixes & PREFIX_66) && !(insn->rex & 8) ? 2 : 4;
    default: /* HAS_VMREAD_8 */
        *ret_second = opcodes_mandatory(insn->prefixes) != 0;
        return *ret_second;
    }
}

static void take_immediate(struct cursor *in, struct insn *ret, unsigned kind)
{
    _Static_assert(PREFIX_66 == 1, "bit 0 of the index; REX.W is bit 1");
    static const uint8_t usual[HAS_ADDRESS][4] = {
        [HAS_8] = {1, 1, 1, 1}, [HAS_16] = {2, 2, 2, 2}, [HAS_Z] = {4, 2, 4, 4},
        [HAS_V] = {4, 2, 8, 8}, [HAS_32] = {4, 4, 4, 4},
    };
    unsigned first, second = 0;
    if (kind < HAS_ADDRESS)
        first = usual[kind][(ret->prefixes & PREFIX_66) | (ret->rex >> 2 & 2)];
    else
        first = immediate_bytes(ret, kind, &second);
    ret->imm_at = first ? (uint8_t)in->at : 0;
    ret->imm_bytes = (uint8_t)first;
    ret->imm = load_signed(in->bytes + in->at, first);
    in->at += first + second;
}

/* The verdict in the light of prefixes. */
static uint8_t judge_prefixes(const struct insn *insn, uint8_t verdict)
{
    if ((insn->prefixes & PREFIX_LOCK) && !opcodes_lockable(insn))
        return REFUSE(UNDECODED);
    if (verdict >> 4 != REFUSAL_NONE)
        return verdict;
    if (verdict != INSN_PLAIN && verdict != INSN_SYSCALL && opcodes_odd_branch(insn))
        return REFUSE(ODD_BRANCH);
    if (insn->prefixes & PREFIX_GS)
        return REFUSE(GS);
    return (insn->prefixes & PREFIX_67) && insn->rip_relative ? REFUSE(ODD_BRANCH) : verdict;
}

static unsigned vector_has(unsigned map, unsigned op)
{
    switch (map) {
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
static struct opcode find_vector(const struct cursor *in, struct insn *ret, unsigned space,
                                 unsigned map, unsigned last)
{
    static const uint8_t bits[4] = {0, PREFIX_66, PREFIX_F3, PREFIX_F2};
    if (ret->rex || (ret->prefixes & (PREFIX_66 | PREFIX_F2 | PREFIX_F3 | PREFIX_LOCK)))
        return (struct opcode){0};
    ret->space = (uint8_t)space;
    ret->map = (uint8_t)map;
    ret->rex = last & 0x80 ? 0x48 : 0;
    ret->prefixes |= bits[last & 3];
    uint8_t byte = in->bytes[in->at];
    return (struct opcode){.with = (uint8_t)opcodes_with(space, map, byte),
                           .has = (uint8_t)vector_has(map, byte)};
}

static struct opcode find_evex(struct cursor *in, struct insn *ret)
{
    unsigned first = in->bytes[in->at + 1], last = in->bytes[in->at + 2];
    in->at += 4;
    if ((first & 8) || !(last & 4))
        return (struct opcode){0};
    return find_vector(in, ret, SPACE_EVEX, first & 7, last);
}

static struct opcode find_vex3(struct cursor *in, struct insn *ret, unsigned space)
{
    unsigned map = in->bytes[in->at + 1] & 31, last = in->bytes[in->at + 2];
    in->at += 3;
    return find_vector(in, ret, space, map, last);
}

static struct opcode find_vex2(struct cursor *in, struct insn *ret)
{
    unsigned last = in->bytes[in->at + 1];
    in->at += 2;
    return find_vector(in, ret, SPACE_VEX, 1, last & 0x7F);
}

static struct opcode find_0f(struct cursor *in, struct insn *ret)
{
    uint8_t byte = in->bytes[++in->at];
    ret->map = 1;
    if (byte != 0x38 && byte != 0x3A)
        return opcodes_0f[byte];
    ret->map = byte == 0x38 ? 2 : 3;
    uint8_t second = in->bytes[++in->at];
    return (struct opcode){.with = (uint8_t)opcodes_with(SPACE_LEGACY, ret->map, second),
                           .has = byte == 0x38 ? HAS_MODRM : HAS_MODRM | HAS_8,
                           .group = GROUP_LONG};
}

/* Leaves the cursor on the last byte of the opcode. */
static struct opcode find_opcode(struct cursor *in, struct insn *ret)
{
    uint8_t byte = in->bytes[in->at];
    struct opcode opcode = opcodes_one_byte[byte];
    if (opcode.has != HAS_ESCAPE)
        return opcode;
    switch (byte) {
    case 0x0F: return find_0f(in, ret);
    case 0x62: return find_evex(in, ret);
    case 0xC4: return find_vex3(in, ret, SPACE_VEX);
    case 0xC5: return find_vex2(in, ret);
    default: /* 8F is XOP, or pop, which has ModRM.reg 0 */
        if ((in->bytes[in->at + 1] & 31) >= 8)
            return find_vex3(in, ret, SPACE_XOP);
        return (struct opcode){WITH_ANY, HAS_MODRM, 0, GROUP_POP};
    }
}

static bool decode(const uint8_t *bytes, struct insn *ret)
{
    struct cursor in = {bytes, 0};
    if (!take_prefixes(&in, ret))
        return false;
    struct opcode opcode = find_opcode(&in, ret);
    ret->opcode = bytes[in.at];
    ret->opcode_at = (uint8_t)in.at++;
    if (!(opcode.with >> opcodes_mandatory(ret->prefixes) & 1))
        return false;
    if ((opcode.has & HAS_MODRM) && !take_modrm(&in, ret, opcode.has))
        return false;
    take_immediate(&in, ret, opcode.has & HAS_IMMEDIATE);
    uint8_t verdict = opcode.group ? opcodes_judge(ret, opcode.group) : opcode.verdict;
    if (ret->prefixes & (PREFIX_LOCK | PREFIX_GS | PREFIX_66 | PREFIX_67))
        verdict = judge_prefixes(ret, verdict);
    ret->class = verdict & 15;
    ret->refusal = verdict >> 4;
    ret->length = (uint8_t)in.at;
    return verdict != REFUSE(UNDECODED);
}

/* Instructions near the end of what may be read are decoded from a copy, zeroes behind it. */
static bool decode_copy(const uint8_t *bytes, size_t room, struct insn *ret)
{
    uint8_t copy[READ_AHEAD] = {0};
    for (size_t i = 0; i < room; i++)
        copy[i] = bytes[i];
    return decode(copy, ret) && ret->length <= room;
}

bool insn_decode(const uint8_t *bytes, size_t room, struct insn *ret)
{
    *ret = (struct insn){0};
    bool decoded = room < READ_AHEAD ? decode_copy(bytes, room, ret) : decode(bytes, ret);
    if (decoded && ret->length <= LONGEST)
        return true;
    *ret = (struct insn){.class = INSN_REFUSED, .refusal = REFUSAL_UNDECODED};
    return false;
}
