/* One instruction as a core sees it: what it waits for, what it makes, which ports it takes. Made
 * once for each instruction of a program (with Zydis), used every time that it runs.
 *
 * Registers are counted as the core renames them: rax for al, ah, ax and eax, too. Flags are two:
 * carry, and the rest. The stack pointer of push, pop, call and ret is only read: cores keep track
 * of it without an operation. */
#pragma once

#include "model/core/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum core_register {
    REGISTER_GPR = 0, /* 16, in the order of their encoding */
    REGISTER_RSP = 4,
    REGISTER_VEC = 16,
    REGISTER_MASK = 48,
    REGISTER_X87 = 56, /* and mmx */
    REGISTER_CARRY = 64,
    REGISTER_FLAGS = 65,
    REGISTER_MXCSR = 66,
    REGISTER_N = 67,
};

enum insn_kind {
    INSN_PLAIN,
    INSN_COND, /* a branch, by what it does to fetch */
    INSN_JUMP,
    INSN_INDIRECT,
    INSN_CALL,
    INSN_CALL_INDIRECT,
    INSN_RETURN,
};

enum insn_flag {
    INSN_LOAD = 1 << 0,
    INSN_STORE = 1 << 1,
    INSN_FP = 1 << 2,      /* waits in the scheduler of vectors */
    INSN_FP_DATA = 1 << 3, /* loads or stores a vector register */
    INSN_FREE = 1 << 4,    /* no operation beside those of memory */
    INSN_MOVE = 1 << 5,    /* is done by renaming */
    INSN_ALONE = 1 << 6,
    INSN_STACK = 1 << 7, /* its address is the stack pointer and a constant */
    INSN_INDEXED = 1 << 8,
    INSN_FUSES = 1 << 9, /* a conditional branch behind it costs nothing more */
    INSN_WRITES_INT = 1 << 10,
    INSN_WRITES_FP = 1 << 11,
    INSN_PUSHES = 1 << 12, /* moves the stack pointer without an operation: push, pop, call, ret */
    INSN_USES_STACK = 1 << 13, /* needs the stack pointer itself */
    INSN_SCALED = 1 << 14,     /* its address has an index that is multiplied */
    INSN_NOP = 1 << 15,
    INSN_CHAIN = 1 << 16,  /* gives its result a cycle earlier to the next of its kind */
    INSN_LCP = 1 << 17,    /* a prefix changes the length of its constant */
    INSN_UPDATE = 1 << 18, /* what it loads it changes by a register, and stores it */
};

enum { INSN_SOURCES = 8, INSN_ADDRESSES = 4, INSN_RESULTS = 6 };

struct core_insn {
    uint32_t ports[RULE_OPS]; /* of each operation, the first makes the results */
    uint32_t flags;
    uint8_t kind; /* enum insn_kind */
    uint8_t length, slots, n_ops;
    uint8_t cycles, every, value_bits;
    uint8_t late, late_register; /* a result that is there so many cycles after the others */
    uint8_t memory_bytes;
    uint8_t passes; /* times that a port is taken: 2 of what is wider than one */
    uint32_t slot;  /* how its address is written: displacement and scale; registers beside it */
    uint8_t n_sources, n_addresses, n_results;
    uint8_t sources[INSN_SOURCES], addresses[INSN_ADDRESSES], results[INSN_RESULTS];
};

/* Of the bytes at an address. False: they are no instruction. */
bool core_insn_make(const struct model *model, const uint8_t *bytes, size_t n,
                    struct core_insn *ret_insn);
