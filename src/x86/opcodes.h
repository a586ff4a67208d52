/* The opcode maps: for each opcode the mandatory prefixes with which it exists, what follows it,
 * and what becomes of it. Facts from the manuals of Intel (SDM vol. 2, appendix A) and AMD (APM
 * vol. 3). */
#pragma once

#include "x86/insn.h"

/* The mandatory prefix, in the order of the pp field of VEX. An opcode that takes 66, F3 and F2
 * as mere modifiers, or ignores them, exists with all. */
enum { WITH_NONE = 1, WITH_66 = 2, WITH_F3 = 4, WITH_F2 = 8, WITH_ANY = 15 };

/* What follows the opcode. */
enum {
    HAS_NOTHING = 0,
    HAS_8 = 1,         /* one byte */
    HAS_16 = 2,        /* ret, retf */
    HAS_Z = 3,         /* 2 bytes with 66 and no REX.W, else 4 */
    HAS_V = 4,         /* 2, 4, or 8 with REX.W: mov to register */
    HAS_32 = 5,        /* branch offsets: the operand size does not matter */
    HAS_ADDRESS = 6,   /* 8 bytes, 4 with 67 */
    HAS_16_8 = 7,      /* enter */
    HAS_TEST_8 = 8,    /* F6: 1 byte if ModRM.reg is 0 or 1 */
    HAS_TEST_Z = 9,    /* F7 likewise */
    HAS_VMREAD_8 = 10, /* 0F 78: two bytes with 66 or F2 */
    HAS_PREFIX = 11,   /* not an opcode */
    HAS_ESCAPE = 12,   /* 0F, the first bytes of VEX and EVEX, and 8F: pop or XOP */
    HAS_IMMEDIATE = 15,
    HAS_MODRM = 16,      /* besides; and then: */
    HAS_REGISTERS = 32,  /* ModRM.mod is taken as 3 whatever it says */
    HAS_MEMORY = 64,     /* invalid with a register operand */
    HAS_NO_MEMORY = 128, /* invalid with a memory operand */
};

/* What becomes of an instruction: its class, and its refusal in the high half. */
#define VERDICT(class, refusal) ((uint8_t)((class) | (refusal) << 4))
#define REFUSE(refusal) VERDICT(INSN_REFUSED, REFUSAL_##refusal)

/* Opcodes whose verdict depends on ModRM or on prefixes; opcodes_judge knows how. */
enum opcode_group {
    GROUP_NONE,
    GROUP_MEMORY_66, /* with 66 invalid with a register operand */
    GROUP_LONG,      /* 0F 38, 0F 3A */
    GROUP_POP,       /* 8F /0 */
    GROUP_FROM_SEG,  /* 8C */
    GROUP_TO_SEG,    /* 8E */
    GROUP_MOVE,      /* C6, C7: mov, xabort, xbegin */
    GROUP_X87,       /* D8..DF */
    GROUP_INC,       /* FE */
    GROUP_FF,        /* inc, dec, calls, jumps, push */
    GROUP_SYSTEM_00, /* 0F 00 */
    GROUP_SYSTEM_01, /* 0F 01 */
    GROUP_HINT_1E,   /* 0F 1E: endbr64, rdssp, nop */
    GROUP_VMREAD,    /* 0F 78, 79: also extrq and insertq */
    GROUP_SHIFT,     /* 0F 71, 72: vector shifts by an immediate */
    GROUP_SHIFT_73,
    GROUP_0FD6,
    GROUP_3DNOW,
    GROUP_STATE,     /* 0F AE: fxsave and kin, fences, fs and gs bases */
    GROUP_BIT,       /* 0F BA */
    GROUP_CMPXCHG8B, /* 0F C7 */
};

struct opcode {
    uint8_t with, has, verdict, group;
};

extern const struct opcode opcodes_one_byte[256], opcodes_0f[256];

/* The prefixes with which an opcode of 0F38, 0F3A or of a VEX, EVEX or XOP map exists, a WITH_
 * set; 0: it does not. */
unsigned opcodes_with(unsigned space, unsigned map, unsigned opcode);

/* The verdict on an instruction with a group; `insn` is complete but for class and refusal. */
uint8_t opcodes_judge(const struct insn *insn, enum opcode_group group);
/* Whether a lock prefix is allowed. */
bool opcodes_lockable(const struct insn *insn);
/* Whether a branch has prefixes that may change its operand or address size. */
bool opcodes_odd_branch(const struct insn *insn);

/* The mandatory prefix as 0..3: none, 66, F3, F2. */
static inline unsigned opcodes_mandatory(unsigned prefixes)
{
    if (prefixes & PREFIX_F3)
        return 2;
    if (prefixes & PREFIX_F2)
        return 3;
    return prefixes & PREFIX_66 ? 1 : 0;
}
