/* What becomes of the instructions whose opcode alone does not tell. */
#include "x86/opcodes.h"

#define PLAIN VERDICT(INSN_PLAIN, REFUSAL_NONE)
#define INVALID REFUSE(UNDECODED)

static unsigned reg_of(const struct insn *insn)
{
    return insn->modrm >> 3 & 7;
}

static bool in_registers(const struct insn *insn)
{
    return insn->modrm >= 0xC0;
}

/* Sets of ModRM.reg values: bit n for the value n. */
static bool holds(unsigned set, unsigned n)
{
    return set >> n & 1;
}

/* In 64-bit mode near branches are 64 bits wide, but AMD lets 66 make them 16 bits; REX.W
 * overrules it (the padded call of the general-dynamic TLS sequence). The address size matters
 * where an address is computed, and to jrcxz and loop, which count in %ecx then: the copy keeps
 * the prefix. */
bool opcodes_odd_branch(const struct insn *insn)
{
    if ((insn->prefixes & PREFIX_66) && !(insn->rex & 8))
        return true;
    return (insn->prefixes & PREFIX_67) && insn->has_modrm && !in_registers(insn);
}

static uint8_t judge_ff(const struct insn *insn)
{
    switch (reg_of(insn)) {
    case 2: return INSN_ICALL;
    case 4: return INSN_IJUMP;
    case 3:
    case 5: return in_registers(insn) ? INVALID : REFUSE(FAR);
    case 7: return INVALID;
    default: return PLAIN;
    }
}

static uint8_t judge_move(const struct insn *insn)
{
    if (reg_of(insn) == 0)
        return PLAIN;
    if (insn->modrm != 0xF8)
        return INVALID;
    return insn_begins_transaction(insn) ? REFUSE(TRANSACTION) : PLAIN;
}

/* Which x87 encodings exist: ModRM.reg values with memory, second bytes C0..FF with registers. */
static uint8_t judge_x87(const struct insn *insn)
{
    static const uint8_t memory[8] = {0xFF, 0xFD, 0xFF, 0xAF, 0xFF, 0xDF, 0xFF, 0xFF};
    static const uint64_t registers[8] = {
        0xFFFFFFFFFFFFFFFF, 0xFFFF7F33FF01FFFF, 0x00000200FFFFFFFF, 0x00FFFF1FFFFFFFFF,
        0xFFFFFFFFFFFFFFFF, 0x0000FFFFFFFFFFFF, 0xFFFFFFFF02FFFFFF, 0x00FFFF01FFFFFFFF,
    };
    unsigned row = insn->opcode & 7;
    bool exists = in_registers(insn) ? registers[row] >> (insn->modrm & 63) & 1
                                     : holds(memory[row], reg_of(insn));
    return exists ? PLAIN : INVALID;
}

static uint8_t judge_system_00(const struct insn *insn)
{
    switch (reg_of(insn)) {
    case 2:
    case 3: return REFUSE(TRAP);
    case 6:
    case 7: return INVALID;
    default: return PLAIN;
    }
}

/* 0F 01 with registers, less smsw and lmsw. */
static uint8_t judge_system_01_registers(const struct insn *insn)
{
    unsigned with = 1u << opcodes_mandatory(insn->prefixes);
    switch (insn->modrm) {
    case 0xD0: return with == WITH_NONE ? PLAIN : INVALID; /* xgetbv */
    case 0xD5: return REFUSE(TRANSACTION);                 /* xend */
    case 0xD6: return with == WITH_NONE ? PLAIN : INVALID; /* xtest */
    case 0xD7: return REFUSE(FAR);                         /* enclu */
    case 0xE8:
        if (with == WITH_NONE)
            return PLAIN; /* serialize */
        return with == WITH_F3   ? REFUSE(SHADOW_STACK)
               : with == WITH_F2 ? REFUSE(TRANSACTION)
                                 : INVALID;
    case 0xE9: return with == WITH_F2 ? REFUSE(TRANSACTION) : INVALID;
    case 0xEA: return with == WITH_F3 ? REFUSE(SHADOW_STACK) : INVALID;
    case 0xEC: return with == WITH_F3 ? REFUSE(FAR) : INVALID; /* uiret */
    case 0xED: return with == WITH_F3 ? REFUSE(TRAP) : INVALID;
    case 0xEE: /* rdpkru, wrpkru; with F3 clui, stui */
    case 0xEF: return with == WITH_NONE ? PLAIN : with == WITH_F3 ? REFUSE(TRAP) : INVALID;
    case 0xEB: return INVALID;
    case 0xF8: return REFUSE(GS); /* swapgs */
    case 0xF9: return PLAIN;      /* rdtscp */
    case 0xFA:                    /* monitorx; mcommit */
        return with == WITH_NONE || with == WITH_F3 ? PLAIN : INVALID;
    case 0xFB: return with == WITH_NONE ? PLAIN : INVALID; /* mwaitx */
    case 0xFC:
    case 0xFD: return PLAIN; /* clzero, rdpru */
    default: return REFUSE(TRAP);
    }
}

static uint8_t judge_system_01(const struct insn *insn)
{
    unsigned reg = reg_of(insn);
    if (reg == 6)
        return REFUSE(TRAP); /* lmsw */
    if (reg == 4)
        return PLAIN; /* smsw */
    if (in_registers(insn))
        return judge_system_01_registers(insn);
    switch (reg) {
    case 0:
    case 1: return PLAIN; /* sgdt, sidt */
    case 5: return insn->prefixes & PREFIX_F3 ? REFUSE(SHADOW_STACK) : INVALID;
    default: return REFUSE(TRAP);
    }
}

static uint8_t judge_vmread(const struct insn *insn)
{
    if (opcodes_mandatory(insn->prefixes) == 0)
        return REFUSE(TRAP);
    if (!in_registers(insn))
        return INVALID;
    bool extrq_immediate = insn->opcode == 0x78 && opcodes_mandatory(insn->prefixes) == 1;
    return extrq_immediate && reg_of(insn) != 0 ? INVALID : PLAIN;
}

static uint8_t judge_state_registers(const struct insn *insn)
{
    unsigned with = 1u << opcodes_mandatory(insn->prefixes), reg = reg_of(insn);
    if (with == WITH_NONE)
        return reg >= 5 ? PLAIN : INVALID; /* fences */
    if (with != WITH_F3)
        return reg == 6 ? PLAIN : INVALID; /* tpause, umwait */
    switch (reg) {
    case 1:
    case 3: return REFUSE(GS);
    case 2: return REFUSE(FSBASE);
    case 5: return REFUSE(SHADOW_STACK);
    case 7: return INVALID;
    default: return PLAIN; /* rdfsbase, ptwrite, umonitor */
    }
}

static uint8_t judge_state(const struct insn *insn)
{
    if (in_registers(insn))
        return judge_state_registers(insn);
    unsigned with = 1u << opcodes_mandatory(insn->prefixes), reg = reg_of(insn);
    if (with == WITH_NONE)
        return PLAIN;
    if (with == WITH_66)
        return reg >= 6 ? PLAIN : INVALID; /* clwb, clflushopt */
    if (with == WITH_F3 && reg == 6)
        return REFUSE(SHADOW_STACK);
    return with == WITH_F3 && reg == 4 ? PLAIN : INVALID; /* ptwrite */
}

static uint8_t judge_cmpxchg8b(const struct insn *insn)
{
    unsigned reg = reg_of(insn);
    bool f3 = insn->prefixes & PREFIX_F3;
    if (in_registers(insn)) {
        if (reg < 6 || opcodes_mandatory(insn->prefixes) == 3)
            return INVALID;
        return reg == 6 && f3 ? REFUSE(TRAP) : PLAIN; /* senduipi; rdrand, rdseed, rdpid */
    }
    switch (reg) {
    case 1: return PLAIN;                                               /* cmpxchg8b */
    case 4: return opcodes_mandatory(insn->prefixes) ? INVALID : PLAIN; /* xsavec */
    case 0:
    case 2: return INVALID;
    default: return REFUSE(TRAP);
    }
}

/* psrldq and pslldq are for vector registers only. */
static uint8_t judge_shift_73(const struct insn *insn)
{
    bool vector = insn->prefixes & PREFIX_66;
    return in_registers(insn) && holds(vector ? 0xCC : 0x44, reg_of(insn)) ? PLAIN : INVALID;
}

static uint8_t judge_3dnow(const struct insn *insn)
{
    static const uint64_t suffixes[4] = {0x30003000, 0, 0x88D144D144D14400, 0};
    unsigned suffix = (uint8_t)insn->imm;
    return suffixes[suffix >> 6] >> (suffix & 63) & 1 ? PLAIN : INVALID;
}

static uint8_t judge_0f38(const struct insn *insn)
{
    unsigned with = 1u << opcodes_mandatory(insn->prefixes);
    bool memory = !in_registers(insn);
    switch (insn->opcode) {
    case 0x2A: return memory ? PLAIN : INVALID; /* movntdqa */
    case 0x80:
    case 0x81:
    case 0x82: return memory ? REFUSE(TRAP) : INVALID; /* invept, invvpid, invpcid */
    case 0xD8: return memory && reg_of(insn) < 4 ? PLAIN : INVALID;
    case 0xDC:
    case 0xDD:
    case 0xDE:
    case 0xDF: /* aesenc and kin; with F3 those of the key locker */
        if (with == WITH_F3 && insn->opcode == 0xDC && !memory)
            return REFUSE(TRAP); /* loadiwkey */
        return with == WITH_F3 && !memory ? INVALID : PLAIN;
    case 0xF0:
    case 0xF1: return with == WITH_F2 || memory ? PLAIN : INVALID; /* crc32, movbe */
    case 0xF5: return memory ? REFUSE(SHADOW_STACK) : INVALID;
    case 0xF6: /* wrss; adcx, adox */
        return with != WITH_NONE ? PLAIN : memory ? REFUSE(SHADOW_STACK) : INVALID;
    case 0xF8: /* movdir64b, enqcmd; enqcmds */
        return !memory ? INVALID : with == WITH_F3 ? REFUSE(TRAP) : PLAIN;
    case 0xF9:
    case 0xFC: return memory ? PLAIN : INVALID; /* movdiri; aadd and kin */
    case 0xFA:
    case 0xFB: return memory ? INVALID : PLAIN; /* encodekey */
    default: return PLAIN;
    }
}

static uint8_t judge_long(const struct insn *insn)
{
    if (insn->map == 2)
        return judge_0f38(insn);
    return insn->opcode == 0xF0 ? REFUSE(TRAP) : PLAIN; /* hreset */
}

uint8_t opcodes_judge(const struct insn *insn, enum opcode_group group)
{
    unsigned reg = reg_of(insn);
    switch (group) {
    case GROUP_LONG: return judge_long(insn);
    case GROUP_POP: return reg == 0 ? PLAIN : INVALID;
    case GROUP_FROM_SEG: return reg < 6 ? PLAIN : INVALID;
    case GROUP_TO_SEG: /* %ss: a step's trap would come an instruction late */
        return reg == 2 ? PLAIN : reg < 6 && reg != 1 ? REFUSE(FAR) : INVALID;
    case GROUP_MOVE: return judge_move(insn);
    case GROUP_X87: return judge_x87(insn);
    case GROUP_INC: return reg < 2 ? PLAIN : INVALID;
    case GROUP_FF: return judge_ff(insn);
    case GROUP_SYSTEM_00: return judge_system_00(insn);
    case GROUP_SYSTEM_01: return judge_system_01(insn);
    case GROUP_HINT_1E: return PLAIN; /* rdssp too: without a shadow stack it does nothing */
    case GROUP_VMREAD: return judge_vmread(insn);
    case GROUP_SHIFT: return in_registers(insn) && holds(0x54, reg) ? PLAIN : INVALID;
    case GROUP_SHIFT_73: return judge_shift_73(insn);
    case GROUP_MEMORY_66: /* movlpd, movhpd; their kin have register forms */
        return opcodes_mandatory(insn->prefixes) == 1 && in_registers(insn) ? INVALID : PLAIN;
    case GROUP_0FD6: /* movq2dq, movdq2q */
        return opcodes_mandatory(insn->prefixes) > 1 && !in_registers(insn) ? INVALID : PLAIN;
    case GROUP_3DNOW: return judge_3dnow(insn);
    case GROUP_STATE: return judge_state(insn);
    case GROUP_BIT: return reg >= 4 ? PLAIN : INVALID;
    case GROUP_CMPXCHG8B: return judge_cmpxchg8b(insn);
    default: return INVALID;
    }
}

bool opcodes_lockable(const struct insn *insn)
{
    if (!insn->has_modrm || in_registers(insn) || insn->space != SPACE_LEGACY)
        return false;
    unsigned reg = reg_of(insn), op = insn->opcode;
    if (insn->map == 0) {
        if (op < 0x38)
            return (op & 7) < 2;
        switch (op) {
        case 0x80:
        case 0x81:
        case 0x83: return reg != 7;
        case 0x86:
        case 0x87: return true;
        case 0xF6:
        case 0xF7: return reg == 2 || reg == 3;
        case 0xFE:
        case 0xFF: return reg < 2;
        default: return false;
        }
    }
    if (insn->map != 1)
        return false;
    switch (op) {
    case 0xAB:
    case 0xB3:
    case 0xBB:
    case 0xB0:
    case 0xB1:
    case 0xC0:
    case 0xC1: return true;
    case 0xBA: return reg > 4;
    case 0xC7: return reg == 1;
    default: return false;
    }
}
