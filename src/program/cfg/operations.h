/* The effect of an instruction on general registers and memory, as far as the jump table analysis
 * needs it: moves, sums, masks, comparisons. Anything else is OPERATION_OTHER with the registers
 * that it writes. */
#pragma once

#include "program/insn/disasm.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

#define REGISTER_NONE 0xff
enum { REGISTER_RAX, REGISTER_RCX, REGISTER_RDX, REGISTER_RBX, REGISTER_RSP, REGISTER_RBP };
enum { REGISTERS = 16 };

enum operation_kind {
    OPERATION_OTHER,
    OPERATION_NOP,         /* and returns: nothing follows */
    OPERATION_MOVE,        /* dst = src, zero-extended to dst's width */
    OPERATION_MOVE_SIGNED, /* dst = src, sign-extended */
    OPERATION_LEA,
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_AND,
    OPERATION_SHL,
    OPERATION_SHR,
    OPERATION_CMP,  /* flags of dst - src */
    OPERATION_TEST, /* flags of dst & src */
    OPERATION_PUSH, /* src */
    OPERATION_POP,  /* dst */
    OPERATION_LEAVE,
    OPERATION_CALL,
    OPERATION_JUMP, /* indirect, to src */
};

enum operand_kind { OPERAND_NONE, OPERAND_REGISTER, OPERAND_MEMORY, OPERAND_IMMEDIATE };

struct operand {
    uint8_t kind;        /* enum operand_kind */
    uint8_t bits;        /* 8, 16, 32 or 64; 0: something wider */
    uint8_t reg;         /* OPERAND_REGISTER; ah, bh, ch, dh make the operation OTHER */
    uint8_t base, index; /* OPERAND_MEMORY: registers or REGISTER_NONE */
    uint8_t scale;
    bool segment;  /* OPERAND_MEMORY: relative to fs or gs */
    int64_t value; /* immediate, or displacement; RIP-relative ones are absolute, without base */
};

/* When a conditional branch is taken. */
enum condition {
    CONDITION_NONE,
    CONDITION_ABOVE,
    CONDITION_ABOVE_EQUAL,
    CONDITION_BELOW,
    CONDITION_BELOW_EQUAL,
    CONDITION_EQUAL,
    CONDITION_NOT_EQUAL,
    CONDITION_GREATER,
    CONDITION_GREATER_EQUAL,
    CONDITION_LESS,
    CONDITION_LESS_EQUAL,
    CONDITION_SIGN,
    CONDITION_NOT_SIGN,
};
enum condition condition_negate(enum condition condition);

struct operation {
    uint8_t kind;      /* enum operation_kind */
    uint8_t condition; /* of a conditional branch: enum condition */
    bool sets_flags;
    bool stores;            /* OTHER: writes memory, at dst if that is known */
    uint32_t store_bytes;   /* 0: not known */
    uint16_t writes, reads; /* OTHER: registers as bits, without those of addresses */
    struct operand dst, src;
};

/* False: there is no whole instruction. */
bool operation_read(const struct image *image, const struct instruction *instruction,
                    struct operation *ret);
