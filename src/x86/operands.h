/* What an instruction touches: the memory that it addresses, the stack, and the registers that it
 * leaves results in. For recording: what is not known for certain is left out.
 *
 * Freestanding, as insn.h, and held to Zydis in the tests. */
#pragma once

#include "x86/insn.h"

enum { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH };

/* What is done at %rsp, or, for leave, at %rbp, besides the operand. */
enum operand_stack { STACK_NONE, STACK_PUSH, STACK_POP, STACK_LEAVE };

enum { VECTOR_NONE = 255 };

/* Registers by the numbers of their encodings; sets have a bit for each. */
struct operands {
    uint8_t access; /* ACCESS_ of the operand that ModRM, or A0..A3, addresses; lea, hints: NONE */
    uint8_t stack;  /* enum operand_stack */
    uint8_t stack_bytes;        /* that it moves */
    bool source, destination;   /* string operations: memory at %rsi is read, at %rdi accessed */
    uint8_t destination_access; /* ACCESS_ */
    bool repeated;              /* and this %rcx times at most */
    bool gathers; /* the operand's index is a vector: base and index make many addresses */
    /* Of the operand's address; 255: none. The base is also none if it is %rip. */
    uint8_t base, index;
    uint8_t unit; /* bytes that one of its displacement stands for; 0: not known */
    uint8_t bits; /* extension of index and base, as in REX: X is 2, B is 1 */
    uint8_t mask; /* gathers: vector register, or VECTOR_NONE where it is a mask register */
    /* General registers that it writes. Not: %rsp where it is moved by the stack, and what string
     * operations count with. */
    uint16_t results;
    /* Divisors, shift counts in %cl, what moves and xchg store, and what cmpxchg expects in memory.
     */
    uint16_t inputs;
    uint8_t vector;       /* the vector register that it writes, below 16, or VECTOR_NONE */
    uint8_t vector_bytes; /* of it that are worth a look: 16 or 32 */
    bool extended;        /* it may name %r8 to %r15 */
};

/* Of an instruction that was decoded from these bytes and not refused. */
void insn_operands(const struct insn *insn, const uint8_t *bytes, struct operands *ret);
