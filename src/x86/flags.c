/* Which status flags an instruction reads, and which it surely overwrites.
 *
 * Both err to the safe side. A flag that the manuals call undefined counts as overwritten only
 * where no processor is known to keep it: after logic and after shifts by a constant.
 * Multiplication, division (seen on Zen 4), bt, bsf, tzcnt and the bit-manipulation instructions
 * keep some. */
#include "x86/insn.h"

struct effect {
    uint8_t read, killed;
};

/* What an opcode does; the kinds from KIND_COND on depend on more than the opcode. */
enum kind {
    KIND_NONE,
    KIND_ALL,     /* overwrites all six */
    KIND_CARRIED, /* adc, sbb */
    KIND_CARRY,   /* clc, stc, bt and kin */
    KIND_MULTIPLY,
    KIND_FLIP, /* cmc */
    KIND_ZERO, /* bsf, tzcnt, lar, cmpxchg8b */
    KIND_PUSHF,
    KIND_LAHF,
    KIND_SAHF,
    KIND_REPEAT, /* loope, repe cmps */
    KIND_ANDN,   /* andn, bzhi, blsr and kin: the parity and adjust flags may survive */
    KIND_BEXTR,
    KIND_ADCX,
    KIND_ADOX,
    KIND_FCOMI,
    KIND_COND,
    KIND_ARITHMETIC, /* 80, 81, 83 */
    KIND_STRING,     /* cmps, scas */
    KIND_SHIFT,      /* C0, C1, D0, D1 */
    KIND_SHIFT_CL,   /* D2, D3 */
    KIND_SHIFT_PAIR, /* shld, shrd by an immediate */
    KIND_F6,
    KIND_FE,
    KIND_X87,
    KIND_SYSTEM_00,
    KIND_0FC7,
};

enum { FLAGS_LAHF = FLAGS_ALL & ~FLAG_OF, FLAGS_ANDN = FLAG_CF | FLAG_OF | FLAG_SF | FLAG_ZF };

static const struct effect effects[KIND_COND] = {
    [KIND_ALL] = {0, FLAGS_ALL},
    [KIND_CARRIED] = {FLAG_CF, FLAGS_ALL},
    [KIND_CARRY] = {0, FLAG_CF},
    [KIND_MULTIPLY] = {0, FLAG_CF | FLAG_OF},
    [KIND_FLIP] = {FLAG_CF, FLAG_CF},
    [KIND_ZERO] = {0, FLAG_ZF},
    [KIND_PUSHF] = {FLAGS_ALL, 0},
    [KIND_LAHF] = {FLAGS_LAHF, 0},
    [KIND_SAHF] = {0, FLAGS_LAHF},
    [KIND_REPEAT] = {FLAG_ZF, 0},
    [KIND_ANDN] = {0, FLAGS_ANDN},
    [KIND_BEXTR] = {0, FLAG_CF | FLAG_OF | FLAG_ZF},
    [KIND_ADCX] = {FLAG_CF, FLAG_CF},
    [KIND_ADOX] = {FLAG_OF, FLAG_OF},
    [KIND_FCOMI] = {0, FLAG_CF | FLAG_PF | FLAG_ZF},
};

/* clang-format off */
#define SIX(at, kind)  [at] = kind, [at + 1] = kind, [at + 2] = kind, \
                       [at + 3] = kind, [at + 4] = kind, [at + 5] = kind
#define EIGHT(at, kind) SIX(at, kind), [at + 6] = kind, [at + 7] = kind

static const uint8_t kinds_one_byte[256] = {
    SIX(0x00, KIND_ALL), SIX(0x08, KIND_ALL), SIX(0x10, KIND_CARRIED), SIX(0x18, KIND_CARRIED),
    SIX(0x20, KIND_ALL), SIX(0x28, KIND_ALL), SIX(0x30, KIND_ALL), SIX(0x38, KIND_ALL),
    [0x69] = KIND_MULTIPLY, [0x6B] = KIND_MULTIPLY,
    EIGHT(0x70, KIND_COND), EIGHT(0x78, KIND_COND),
    [0x80] = KIND_ARITHMETIC, [0x81] = KIND_ARITHMETIC, [0x83] = KIND_ARITHMETIC,
    [0x84] = KIND_ALL, [0x85] = KIND_ALL, [0xA8] = KIND_ALL, [0xA9] = KIND_ALL, /* test */
    [0x9C] = KIND_PUSHF, [0x9D] = KIND_ALL, [0x9E] = KIND_SAHF, [0x9F] = KIND_LAHF,
    [0xA6] = KIND_STRING, [0xA7] = KIND_STRING, [0xAE] = KIND_STRING, [0xAF] = KIND_STRING,
    [0xC0] = KIND_SHIFT, [0xC1] = KIND_SHIFT, [0xD0] = KIND_SHIFT, [0xD1] = KIND_SHIFT,
    [0xD2] = KIND_SHIFT_CL, [0xD3] = KIND_SHIFT_CL,
    EIGHT(0xD8, KIND_X87),
    [0xE0] = KIND_REPEAT, [0xE1] = KIND_REPEAT,
    [0xF5] = KIND_FLIP, [0xF8] = KIND_CARRY, [0xF9] = KIND_CARRY,
    [0xF6] = KIND_F6, [0xF7] = KIND_F6, [0xFE] = KIND_FE, [0xFF] = KIND_FE,
};

static const uint8_t kinds_0f[256] = {
    [0x00] = KIND_SYSTEM_00, [0x02] = KIND_ZERO, [0x03] = KIND_ZERO,
    [0x2E] = KIND_ALL, [0x2F] = KIND_ALL, /* ucomiss, comiss */
    EIGHT(0x40, KIND_COND), EIGHT(0x48, KIND_COND),
    EIGHT(0x80, KIND_COND), EIGHT(0x88, KIND_COND),
    EIGHT(0x90, KIND_COND), EIGHT(0x98, KIND_COND),
    [0xA3] = KIND_CARRY, [0xAB] = KIND_CARRY, [0xB3] = KIND_CARRY, [0xBA] = KIND_CARRY,
    [0xBB] = KIND_CARRY, /* bt, bts, btr, btc */
    [0xA4] = KIND_SHIFT_PAIR, [0xAC] = KIND_SHIFT_PAIR,
    [0xAF] = KIND_MULTIPLY,
    [0xB0] = KIND_ALL, [0xB1] = KIND_ALL, [0xC0] = KIND_ALL, [0xC1] = KIND_ALL, /* cmpxchg, xadd */
    [0xB8] = KIND_ALL, /* popcnt */
    [0xBC] = KIND_ZERO, [0xBD] = KIND_ZERO,
    [0xC7] = KIND_0FC7,
};
/* clang-format on */

static unsigned reg_of(const struct insn *insn)
{
    return insn->modrm >> 3 & 7;
}

static uint8_t condition_flags(unsigned condition)
{
    static const uint8_t flags[8] = {
        FLAG_OF, FLAG_CF, FLAG_ZF,           FLAG_CF | FLAG_ZF,
        FLAG_SF, FLAG_PF, FLAG_SF | FLAG_OF, FLAG_ZF | FLAG_SF | FLAG_OF,
    };
    return flags[condition >> 1 & 7];
}

/* Processors take the count modulo 32, or 64 with REX.W; the manuals leave open which it is for
 * bytes with REX.W. A count of 0 leaves all flags alone. */
static unsigned shift_count(const struct insn *insn)
{
    bool wide = insn->rex & 8, byte = !(insn->opcode & 1);
    if (!insn->imm_bytes)
        return 1;
    return wide && byte ? 0 : (unsigned)insn->imm & (wide ? 63 : 31);
}

static struct effect shift_effect(const struct insn *insn)
{
    unsigned count = shift_count(insn);
    switch (reg_of(insn)) {
    case 0:
    case 1: /* the overflow flag is defined for a count of 1 only */
        return (struct effect){0, count == 1 ? FLAG_CF | FLAG_OF : count ? FLAG_CF : 0};
    case 2:
    case 3: /* rotating 9 or 17 bits by as much leaves the carry */
        return (struct effect){FLAG_CF, count == 1 ? FLAG_CF | FLAG_OF : 0};
    default: return (struct effect){0, count ? FLAGS_ALL : 0};
    }
}

/* shld and shrd by more than the operand's size leave everything undefined. */
static struct effect shift_pair_effect(const struct insn *insn)
{
    bool wide = insn->rex & 8;
    unsigned size = wide ? 64 : insn->prefixes & PREFIX_66 ? 16 : 32;
    unsigned count = (unsigned)insn->imm & (wide ? 63 : 31);
    return (struct effect){0, count > 0 && count <= size ? FLAGS_ALL : 0};
}

static struct effect x87_effect(const struct insn *insn)
{
    static const uint8_t move_flags[4] = {FLAG_CF, FLAG_ZF, FLAG_CF | FLAG_ZF, FLAG_PF};
    unsigned reg = reg_of(insn);
    if (insn->modrm < 0xC0)
        return effects[KIND_NONE];
    if ((insn->opcode == 0xDA || insn->opcode == 0xDB) && reg < 4)
        return (struct effect){move_flags[reg], 0};
    if ((insn->opcode == 0xDB || insn->opcode == 0xDF) && (reg == 5 || reg == 6))
        return effects[KIND_FCOMI];
    return effects[KIND_NONE];
}

static struct effect fe_effect(const struct insn *insn)
{
    bool counts = reg_of(insn) < 2;
    return (struct effect){0, counts ? FLAGS_ALL & ~FLAG_CF : 0};
}

/* cmpxchg8b; rdrand and rdseed. */
static enum kind kind_0fc7(const struct insn *insn)
{
    if (insn->modrm < 0xC0)
        return reg_of(insn) == 1 ? KIND_ZERO : KIND_NONE;
    return insn->prefixes & PREFIX_F3 ? KIND_NONE : KIND_ALL;
}

static const uint8_t f6_kinds[8] = {
    KIND_ALL,      KIND_ALL,      KIND_NONE, KIND_ALL,  /* test, test, not, neg */
    KIND_MULTIPLY, KIND_MULTIPLY, KIND_NONE, KIND_NONE, /* mul, imul, div, idiv */
};

static struct effect special_effect(const struct insn *insn, enum kind kind)
{
    unsigned reg = reg_of(insn);
    switch (kind) {
    case KIND_COND: return (struct effect){condition_flags(insn->opcode & 15), 0};
    case KIND_ARITHMETIC: return effects[reg == 2 || reg == 3 ? KIND_CARRIED : KIND_ALL];
    case KIND_STRING: /* a repetition of zero times compares nothing */
        return effects[insn->prefixes & (PREFIX_F2 | PREFIX_F3) ? KIND_REPEAT : KIND_ALL];
    case KIND_SHIFT: return shift_effect(insn);
    case KIND_SHIFT_CL: return (struct effect){reg == 2 || reg == 3 ? FLAG_CF : 0, 0};
    case KIND_SHIFT_PAIR: return shift_pair_effect(insn);
    case KIND_F6: return effects[f6_kinds[reg]];
    case KIND_FE: return fe_effect(insn);
    case KIND_X87: return x87_effect(insn);
    case KIND_SYSTEM_00: return effects[reg == 4 || reg == 5 ? KIND_ZERO : KIND_NONE];
    case KIND_0FC7: return effects[kind_0fc7(insn)];
    default: return (struct effect){FLAGS_ALL, 0};
    }
}

/* 0F38 and 0F3A without VEX. */
static enum kind kind_long(const struct insn *insn)
{
    if (insn->map == 3)
        return insn->opcode >= 0x60 && insn->opcode <= 0x63 ? KIND_ALL : KIND_NONE; /* pcmpistri */
    switch (insn->opcode) {
    case 0x17: return KIND_ALL; /* ptest */
    case 0xF6: return insn->prefixes & PREFIX_F3 ? KIND_ADOX : KIND_ADCX;
    case 0xF8: return insn->prefixes & PREFIX_F2 ? KIND_ALL : KIND_NONE; /* enqcmd */
    default: return KIND_NONE;
    }
}

static enum kind kind_vex_0f38(const struct insn *insn)
{
    bool bare = !(insn->prefixes & (PREFIX_66 | PREFIX_F2 | PREFIX_F3));
    switch (insn->opcode) {
    case 0x0E:
    case 0x0F:
    case 0x17: return KIND_ALL; /* vtestps, vtestpd, vptest */
    case 0xF2:
    case 0xF3: return KIND_ANDN;                     /* andn; blsr, blsmsk, blsi */
    case 0xF5: return bare ? KIND_ANDN : KIND_NONE;  /* bzhi; pdep, pext */
    case 0xF7: return bare ? KIND_BEXTR : KIND_NONE; /* shlx, shrx, sarx */
    default: return (insn->opcode & 0xF0) == 0xE0 ? KIND_ALL : KIND_NONE; /* cmpccxadd */
    }
}

static enum kind kind_vex(const struct insn *insn)
{
    switch (insn->map) {
    case 1: /* vucomiss, vcomiss; kortest, ktest */
        return (insn->opcode & 0xFE) == 0x2E || (insn->opcode & 0xFE) == 0x98 ? KIND_ALL
                                                                              : KIND_NONE;
    case 2: return kind_vex_0f38(insn);
    default: return insn->opcode >= 0x60 && insn->opcode <= 0x63 ? KIND_ALL : KIND_NONE;
    }
}

static enum kind kind_evex(const struct insn *insn)
{
    bool compares = (insn->map == 1 || insn->map == 5) && (insn->opcode & 0xFE) == 0x2E;
    return compares ? KIND_ALL : KIND_NONE;
}

static enum kind kind_xop(const struct insn *insn)
{
    if (insn->map == 9)
        return insn->opcode < 0x10 ? KIND_ANDN : KIND_NONE; /* blcfill and kin */
    return insn->map == 10 && insn->opcode == 0x10 ? KIND_BEXTR : KIND_NONE;
}

static enum kind kind_of(const struct insn *insn)
{
    switch (insn->space) {
    case SPACE_VEX: return kind_vex(insn);
    case SPACE_EVEX: return kind_evex(insn);
    case SPACE_XOP: return kind_xop(insn);
    default: break;
    }
    switch (insn->map) {
    case 0: return kinds_one_byte[insn->opcode];
    case 1: return kinds_0f[insn->opcode];
    default: return kind_long(insn);
    }
}

static struct effect effect_of(const struct insn *insn)
{
    if (insn->class == INSN_REFUSED)
        return (struct effect){FLAGS_ALL, 0};
    enum kind kind = kind_of(insn);
    return kind < KIND_COND ? effects[kind] : special_effect(insn, kind);
}

uint8_t insn_flags_read(const struct insn *insn)
{
    return effect_of(insn).read;
}

uint8_t insn_flags_killed(const struct insn *insn)
{
    return effect_of(insn).killed;
}
