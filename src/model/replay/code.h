/* Instructions of a program, each made into what a core sees of it when it is first met.
 *
 * Code comes in runs: instructions that lie one behind the other. A run that was made stays, and is
 * known by the index of its first instruction. The same instruction may be in several runs; its
 * number (`id`) is the same in all of them, so whatever is kept of instructions is an array by
 * number.
 *
 * Cores see addresses that do not depend on where a file was mapped: replay_at. What has no file
 * cannot be made. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "model/core/insn.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

#define REPLAY_NONE UINT32_MAX

/* What is known of the address of a memory operand without having recorded it. */
enum code_operand {
    OPERAND_NONE,
    OPERAND_FIXED, /* it is in the instruction */
    OPERAND_STACK, /* so far from the stack pointer, */
    OPERAND_FRAME, /* or from rbp */
    OPERAND_ELSEWHERE,
};

/* What it does to the stack pointer. */
enum code_stack { STACK_STAYS, STACK_MOVES, STACK_TO_FRAME, STACK_FROM_FRAME, STACK_LEAVES };

struct code_insn {
    struct core_insn core;
    uint64_t at;     /* as cores see it */
    uint64_t target; /* likewise, of a direct branch; 0: none */
    int64_t operand; /* displacement, or as a core sees it if it is fixed */
    int32_t moves;   /* of the stack pointer, bytes, after the access; push: before it */
    uint32_t id;
    uint8_t kind;  /* enum code_operand */
    uint8_t stack; /* enum code_stack */
};

/* Where an instruction is. */
struct code_place {
    uint32_t module;
    struct svma at;
    uint8_t length;
};

/* Whose file a module is; NULL: it has none. */
struct code_source {
    const struct image *(*image)(void *context, uint32_t module);
    void *context;
};

struct core_code {
    const struct model *model;
    struct code_source source;
    struct code_insns {
        VEC(struct code_insn);
    } insns;
    struct code_places {
        VEC(struct code_place);
    } places;               /* by number */
    struct code_insns made; /* by number: runs overlap, and making one takes long */
    struct map ids;         /* of places */
    struct map lone;        /* of places as well: runs of one instruction, */
    struct code_firsts {
        VEC(uint32_t);
    } alone; /* which are here */
};

void code_init(struct core_code *code, const struct model *model, struct code_source source);
void code_release(struct core_code *code);

/* An address as cores see it, and back. */
uint64_t replay_at(uint32_t module, struct svma at);
void replay_place(uint64_t at, uint32_t *ret_module, struct svma *ret_at);

/* A run of so many instructions that are so many bytes; REPLAY_NONE: they cannot be read, or are
 * not what the file has. */
uint32_t code_run(struct core_code *code, uint32_t module, struct svma at, uint32_t bytes,
                  uint32_t instructions);
/* One instruction that nobody saw running, for those who look where else control could have gone.
 */
uint32_t code_one(struct core_code *code, uint64_t at);
