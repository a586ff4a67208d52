/* What a straight block of instructions computes, as far as its addresses and divisions go: a small
 * interpreter of general registers and of memory that is one frame, mapped everywhere.
 *
 * Vector registers are not followed: storing one leaves memory as it is, and what comes from one is
 * `fill`. */
#pragma once

#include <Zydis/Zydis.h>

#include <stdbool.h>
#include <stdint.h>

enum { FRAME_BYTES = 4096 };

struct block_values {
    uint64_t registers[16];
    uint64_t fill; /* what registers and memory hold at first */
    bool carry, zero, sign, overflow;
    uint8_t frame[FRAME_BYTES];
};

void block_values_init(struct block_values *values, uint64_t fill);
/* One instruction at `at`; the address of its memory operand (0: none), and the bits of its
 * quotient if it divides. */
void block_values_step(struct block_values *values, const ZydisDecodedInstruction *instruction,
                       const ZydisDecodedOperand *operands, uint64_t at, uint64_t *ret_address,
                       uint8_t *ret_bits);
