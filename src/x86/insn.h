/* One x86-64 instruction: how long it is, what shape it has, what must change when it is copied
 * elsewhere, and whether it may be copied at all.
 *
 * Freestanding, no vector registers, caller's memory: this runs in signal handlers, at every new
 * block. Zydis is its oracle in the tests, and the disassembler of the tool. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_class {
    INSN_PLAIN,      /* copied as it is, a RIP-relative displacement adjusted */
    INSN_COND,       /* jcc rel8 or rel32 */
    INSN_COUNT_COND, /* jrcxz, jecxz, loop, loope, loopne: rel8 only */
    INSN_JUMP,       /* jmp rel8 or rel32 */
    INSN_CALL,       /* call rel32 */
    INSN_IJUMP,      /* jmp r64 or m64 */
    INSN_ICALL,      /* call r64 or m64 */
    INSN_RETURN,     /* ret, ret imm16, rep ret */
    INSN_SYSCALL,
    INSN_REFUSED, /* must run where it stands; `refusal` says why */
};

enum insn_refusal {
    REFUSAL_NONE,
    REFUSAL_UNDECODED, /* not an instruction, or one that this decoder does not know */
    REFUSAL_GS,        /* %gs override, rd/wrgsbase, swapgs: the walk itself lives in %gs */
    REFUSAL_FSBASE,    /* wrfsbase */
    REFUSAL_TRAP, /* int3, int n, int1, ud0/1/2, hlt, and all else that only traps in user mode */
    REFUSAL_FAR,  /* far branches, iret, sysenter, segment register loads */
    /* xbegin, xend, xsusldtrk, xresldtrk. No walk is ever inside a transaction: there xabort does
     * nothing, and xtest says so, in a copy as in the original. */
    REFUSAL_TRANSACTION,
    REFUSAL_SHADOW_STACK, /* incssp, rstorssp, saveprevssp, wrss, setssbsy, clrssbsy */
    /* Branches that 66 may make 16 bits wide, indirect ones through a 32-bit address, and
     * EIP-relative operands. Branches with 66 and REX.W (TLS sequences) or a 67 without effect
     * (linkers pad calls with it) are as usual; a 67 before jrcxz and loop has one, and must be
     * copied. */
    REFUSAL_ODD_BRANCH,
};

/* Prefixes seen, as bits. */
enum {
    PREFIX_66 = 1,
    PREFIX_F2 = 2,
    PREFIX_F3 = 4,
    PREFIX_LOCK = 8,
    PREFIX_FS = 16,
    PREFIX_GS = 32,
    PREFIX_67 = 64,
};

/* Encoding space of the opcode. */
enum insn_space { SPACE_LEGACY, SPACE_VEX, SPACE_EVEX, SPACE_XOP };

struct insn {
    uint8_t length;
    uint8_t class;    /* enum insn_class */
    uint8_t refusal;  /* enum insn_refusal */
    uint8_t prefixes; /* PREFIX_ bits */
    uint8_t rex;      /* REX byte, or for VEX/EVEX/XOP: 0x48 if W, else 0 */
    uint8_t space;    /* enum insn_space */
    uint8_t map;      /* 0 one-byte, 1 0F, 2 0F38, 3 0F3A, 4.. as in VEX/EVEX/XOP */
    uint8_t opcode;
    bool has_modrm, rip_relative;
    uint8_t modrm, sib;          /* sib: 0 if there is none */
    uint8_t opcode_at, modrm_at; /* offsets from the first byte; modrm_at 0 if none */
    uint8_t disp_at, disp_bytes; /* memory displacement; disp_bytes 0 if none */
    uint8_t imm_at, imm_bytes;   /* first immediate or branch offset; imm_bytes 0 if none */
    int32_t disp; /* memory displacement, sign-extended; the 8-bit ones of EVEX are not scaled */
    int64_t imm;  /* immediate, branch offset, or absolute address of A0..A3; sign-extended */
};

/* With so much room the bytes are decoded where they are; with less, from a copy. */
enum { INSN_ROOM = 34 };

/* Decodes at most `room` bytes (15 are always enough). False: these bytes are no whole instruction;
 * then class is INSN_REFUSED, refusal REFUSAL_UNDECODED and length 0. */
bool insn_decode(const uint8_t *bytes, size_t room, struct insn *ret);

/* Where a branch of class COND, COUNT_COND, JUMP or CALL at `pc` goes to. */
static inline uint64_t insn_target(const struct insn *insn, uint64_t pc)
{
    return pc + insn->length + (uint64_t)insn->imm;
}

/* xbegin: insn_target is where the transaction goes on when it is aborted. */
static inline bool insn_begins_transaction(const struct insn *insn)
{
    return insn->space == SPACE_LEGACY && insn->map == 0 && insn->opcode == 0xC7 &&
           insn->modrm == 0xF8;
}

/* Status flags, for "may I put an `inc` or `add` here?". */
enum {
    FLAG_CF = 1,
    FLAG_PF = 2,
    FLAG_AF = 4,
    FLAG_ZF = 8,
    FLAG_SF = 16,
    FLAG_OF = 32,
    FLAGS_ALL = 63,
};

/* Flags the instruction may read. Anything not known for certain reads all. */
uint8_t insn_flags_read(const struct insn *insn);
/* Flags the instruction overwrites on every execution, or leaves undefined, without keeping their
 * old value (shifts by %cl, repeated string compares and the like may keep it: they overwrite
 * nothing). */
uint8_t insn_flags_killed(const struct insn *insn);
