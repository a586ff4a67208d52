/* Unwind rules for code built without frame pointers: .eh_frame, else .debug_frame, compiled once
 * into a sorted table. Functions that neither describes get rules from reading their code.
 *
 * The table is two arrays. A row of 8 bytes has the start of a stretch of code and the number of
 * its rule; it ends where the next row starts. An image has few different rules. Code without an
 * entry has a row without a rule. The table never changes once built, holds no pointer into the
 * image, and may be used by many threads. Unreadable entries are left out and counted. */
#pragma once

#include "base/vec.h"
#include "program/unwind/unwind_rule.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

#define UNWIND_NO_ROW UINT32_MAX

struct unwind_row {
    uint32_t start; /* above the base */
    uint32_t rule;  /* or UNWIND_NO_ROW */
};

struct unwind {
    struct svma base;
    struct unwind_rows {
        VEC(struct unwind_row); /* by start */
    } rows;
    struct unwind_rules {
        VEC(struct unwind_rule);
    } rules;
    struct unwind_expressions expressions;
    struct unwind_index {
        VEC(uint32_t); /* [i]: the last row with start <= i << shift */
    } index;
    uint32_t shift;
    uint64_t entries;    /* FDEs used */
    uint64_t unreadable; /* FDEs left out, whole or from some instruction on */
    uint64_t derived;    /* instructions with rules from reading code */
};

void unwind_build(struct unwind *unwind, const struct image *image);
void unwind_release(struct unwind *unwind);

/* NULL: no rule for this address. */
const struct unwind_rule *unwind_find(const struct unwind *unwind, struct svma at);

/* Whether the code at an address runs on to the end of a function that goes on elsewhere, as
 * throwing does (__builtin_eh_return): where it sets rsp to a value from rcx. */
bool unwind_eh_return(const struct unwind *unwind, struct svma at, struct svma *ret_end);
/* Whether it is at that end: all registers but rsp and rip are already those of where it goes. */
bool unwind_eh_returns(const struct unwind *unwind, struct svma at);

/* The registers of a frame, in DWARF's order. value[UNWIND_RIP] is the next instruction to run: in
 * a calling frame, the one after the call. */
struct unwind_frame {
    uint64_t value[UNWIND_REGISTERS];
    uint32_t known;   /* bit r: value[r] */
    bool interrupted; /* not by a call: look up rip itself, else the byte before it */
};

/* Readable memory of the program: a copied window, and perhaps more. Addresses are those of the
 * program when it was copied. */
struct unwind_memory {
    const uint8_t *bytes;
    struct avma start; /* of bytes; the rsp of the innermost frame if a stack was copied */
    size_t n;
    bool (*read)(void *closure, struct avma at,
                 uint64_t *ret_value); /* outside of it; may be NULL */
    void *closure;
};

enum unwind_step {
    UNWIND_CALLER,    /* the frame is now the caller */
    UNWIND_DONE,      /* the rules say: no caller */
    UNWIND_ZERO,      /* the return address is zero: some start code marks the end so */
    UNWIND_NO_RULE,   /* no rule for this code */
    UNWIND_NO_MEMORY, /* the memory needed is not readable */
    UNWIND_BAD,       /* the rules give no valid caller, or the same frame again */
};

/* One step to the caller. `at` is the address to look up, as linked; in a calling frame it must lie
 * inside the call. The frame changes only with UNWIND_CALLER. */
enum unwind_step unwind_step(const struct unwind *unwind, struct svma at,
                             struct unwind_frame *frame, const struct unwind_memory *memory);
/* The same with rules from reading code, which may be wrong. */
enum unwind_step unwind_step_derived(const struct unwind *unwind, struct svma at,
                                     struct unwind_frame *frame,
                                     const struct unwind_memory *memory);

/* Reads eight bytes, from the window or by the callback. */
bool unwind_read(const struct unwind_memory *memory, struct avma at, uint64_t *ret_value);
