/* What a change needs to know of an instruction beyond what cores see of it. */
#pragma once

#include "base/vec.h"
#include "model/replay/code.h"

#include <stdbool.h>
#include <stdint.h>

enum trait {
    TRAIT_SAVES = 1 << 0,    /* pushes a register that a callee keeps, or makes a frame */
    TRAIT_RESTORES = 1 << 1, /* the reverse */
    TRAIT_ARGUMENT = 1 << 2, /* copies a register to one that passes an argument */
    TRAIT_RESULT = 1 << 3,   /* copies rax to another register */
    TRAIT_LANDS = 1 << 4,    /* endbr64 */
    TRAIT_STEPS = 1 << 5,    /* adds a constant to a register */
    TRAIT_COMPARES = 1 << 6, /* cmp or test, of registers and constants */
    TRAIT_DIVIDES = 1 << 7,  /* integers */
    TRAIT_FDIVIDES = 1 << 8, /* floating point */
    TRAIT_PACKED = 1 << 9,   /* arithmetic on vectors */
    TRAIT_CALLS = 1 << 10,
};

struct traits {
    bool known;
    uint16_t what;          /* enum trait */
    uint16_t bits;          /* of TRAIT_PACKED: of its vectors */
    uint32_t reads, writes; /* general registers, by number */
    uint32_t compares;      /* of TRAIT_COMPARES: those compared */
    uint8_t steps;          /* of TRAIT_STEPS: the register */
    uint8_t length;
};

/* By the number (id) of instructions. */
struct traits_cache {
    struct core_code *code;
    VEC(struct traits);
};

const struct traits *traits_of(struct traits_cache *cache, const struct code_insn *insn);
/* Of the instruction at a place of a module; false: there is none. */
bool traits_read(struct core_code *code, uint64_t at, struct traits *ret_traits);
