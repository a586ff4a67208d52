/* What one instruction does to control: where it goes on, and where it may jump.
 *
 * The tool's disassembler, through Zydis; the agent's own decoder is x86/insn.h. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

enum instruction_kind {
    INSTRUCTION_PLAIN,   /* goes on behind itself */
    INSTRUCTION_COND,    /* goes on, or jumps to target: jcc, jrcxz, loop, xbegin */
    INSTRUCTION_JUMP,    /* jumps to target */
    INSTRUCTION_IJUMP,   /* jumps through a register or memory, far jumps included */
    INSTRUCTION_CALL,    /* calls target, then goes on behind itself */
    INSTRUCTION_ICALL,   /* calls through a register or memory, then goes on */
    INSTRUCTION_RETURN,  /* ret, iret */
    INSTRUCTION_SYSCALL, /* syscall, sysenter, int n; goes on behind itself */
    INSTRUCTION_TRAP,    /* ud0, ud1, ud2, hlt: goes nowhere in user mode */
};

struct instruction {
    struct svma at;
    struct svma target; /* of COND, JUMP and CALL */
    uint8_t bytes;
    uint8_t kind;   /* enum instruction_kind */
    bool no_return; /* a call that never comes back; the caller's to say */
    bool nop;       /* it does nothing: often mere padding */
};

/* False: no whole instruction there. */
bool disasm_at(const struct image *image, struct svma at, struct instruction *ret);

static inline struct svma instruction_next(const struct instruction *instruction)
{
    return (struct svma){instruction->at.v + instruction->bytes};
}

/* Whether control leaves the straight line behind the instruction. Calls come back: they do not. */
static inline bool instruction_ends_block(const struct instruction *instruction)
{
    switch (instruction->kind) {
    case INSTRUCTION_COND:
    case INSTRUCTION_JUMP:
    case INSTRUCTION_IJUMP:
    case INSTRUCTION_RETURN:
    case INSTRUCTION_TRAP: return true;
    default: return instruction->no_return;
    }
}

/* Whether control can go straight from the instruction to `to`: a direct branch with that target,
 * what follows an instruction that goes on, or any address after an indirect one. What follows a
 * call counts as reached by it. */
bool instruction_reaches(const struct instruction *instruction, struct svma to);
