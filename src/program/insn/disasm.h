/* The control flow of one instruction: where it continues and where it may jump.
 *
 * This is the tool's disassembler, on Zydis. The agent has its own: x86/insn.h. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

enum instruction_kind {
    INSTRUCTION_PLAIN,   /* continues with the next instruction */
    INSTRUCTION_COND,    /* continues, or jumps to target: jcc, jrcxz, loop, xbegin */
    INSTRUCTION_JUMP,    /* jumps to target */
    INSTRUCTION_IJUMP,   /* jumps through a register or memory, far jumps included */
    INSTRUCTION_CALL,    /* calls target, then continues */
    INSTRUCTION_ICALL,   /* calls through a register or memory, then continues */
    INSTRUCTION_RETURN,  /* ret, iret */
    INSTRUCTION_SYSCALL, /* syscall, sysenter, int n; continues */
    INSTRUCTION_TRAP,    /* ud0, ud1, ud2, hlt: ends here in user mode */
};

struct instruction {
    struct svma at;
    struct svma target; /* of COND, JUMP and CALL */
    uint8_t bytes;
    uint8_t kind;   /* enum instruction_kind */
    bool no_return; /* a call that never returns; set by the caller of disasm_at */
    bool nop;       /* does nothing: often padding */
};

/* False: there is no whole instruction. */
bool disasm_at(const struct image *image, struct svma at, struct instruction *ret);

static inline struct svma instruction_next(const struct instruction *instruction)
{
    return (struct svma){instruction->at.v + instruction->bytes};
}

/* Whether the instruction ends a block. A call does not, unless it never returns. */
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
