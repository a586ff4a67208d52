/* Registers as a thread's instructions made them: who wrote each last, whether anything read it
 * since, and what is in it as far as that was recorded.
 *
 * A result is unused when all registers (and flags) that the instruction wrote are overwritten, and
 * nothing read any of them. */
#pragma once

#include "waste/waste_code.h"
#include "waste/waste_found.h"

enum { WASTE_VALUE_BYTES = 32 };

struct waste_registers {
    struct waste_listener *listener;
    struct waste_events events;
    uint32_t writer[WASTE_REGISTERS]; /* events; 0: none */
    uint64_t origins; /* set of those that hold what a copy had, and were used for nothing but it */
    struct waste_origin {
        uint32_t event; /* of that copy */
        uint64_t position;
        uint64_t stored; /* when: where it is a copy of a copy; 0: not yet */
    } origin[WASTE_REGISTERS];
    uint64_t loaded; /* set of those that hold what was loaded from memory, unchanged */
    uint64_t loaded_bytes[WASTE_REGISTERS];
    uint8_t known[WASTE_MASKS]; /* bytes whose value is known */
    uint8_t value[WASTE_MASKS][WASTE_VALUE_BYTES];
};

void waste_registers_init(struct waste_registers *registers, struct waste_listener *listener);
void waste_registers_release(struct waste_registers *registers);
/* Nothing that is known holds any more. */
void waste_registers_forget(struct waste_registers *registers);
/* An instruction reads and then writes; it reads no memory if `bytes` is 0. */
void waste_registers_run(struct waste_registers *registers, const struct waste_code *code,
                         struct waste_site site, uint64_t position, uint64_t bytes);
/* What is in a register now. */
void waste_registers_put(struct waste_registers *registers, uint32_t reg, const void *value,
                         uint32_t bytes);
/* So many bytes of a register, from a bit on; NULL: not known. */
const uint8_t *waste_registers_value(const struct waste_registers *registers, uint32_t reg,
                                     uint32_t shift, uint64_t bytes);
