/* Call frames of code built without frame pointers: .eh_frame, and .debug_frame where that has
 * nothing, compiled once into a sorted table; for functions that neither describes, what reading
 * them tells.
 *
 * The table is two arrays: rows of 8 bytes, each the start of a stretch of code and the number of
 * its rule; and the rules, of which an image has few. A row ends where the next one starts;
 * stretches that no entry covers have a row without a rule. Built once, it is never changed, holds
 * no pointer into the image, and can be used by many threads. Entries that cannot be read are left
 * out and counted. */
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
        VEC(uint32_t); /* [i]: the last row that starts at or below i << shift */
    } index;
    uint32_t shift;
    uint64_t entries;    /* FDEs used */
    uint64_t unreadable; /* FDEs left out, wholly or from some instruction on */
    uint64_t derived;    /* instructions whose rules come from reading them */
};

void unwind_build(struct unwind *unwind, const struct image *image);
void unwind_release(struct unwind *unwind);

/* NULL: nothing is known about code at this address. */
const struct unwind_rule *unwind_find(const struct unwind *unwind, struct svma at);

/* A frame's registers, in DWARF's order. value[UNWIND_RIP] is where the frame is: the instruction
 * that runs next or, in a frame that has called, the one behind the call. */
struct unwind_frame {
    uint64_t value[UNWIND_REGISTERS];
    uint32_t known;   /* bit r: value[r] */
    bool interrupted; /* not by a call: rip itself is what to look up, else the byte before it */
};

/* What can be read of the program's memory: a copied window, and perhaps more. All addresses are
 * those of the program when the copy was made. */
struct unwind_memory {
    const uint8_t *bytes;
    struct avma start; /* of bytes; the innermost frame's rsp when a stack was copied */
    size_t n;
    bool (*read)(void *closure, struct avma at,
                 uint64_t *ret_value); /* outside of it; may be NULL */
    void *closure;
};

enum unwind_step {
    UNWIND_CALLER,    /* the frame is its caller's now */
    UNWIND_DONE,      /* the rules say that there is no caller */
    UNWIND_ZERO,      /* the return address is zero, as some start code has it to mark the end */
    UNWIND_NO_RULE,   /* nothing is known about this code */
    UNWIND_NO_MEMORY, /* the caller lies outside of what can be read */
    UNWIND_BAD,       /* the rules lead nowhere, or to where they came from */
};

/* One step outwards. `at` is where to look the frame up: as linked, and already moved back into the
 * call if the frame has called. Anything but UNWIND_CALLER leaves the frame as it was. */
enum unwind_step unwind_step(const struct unwind *unwind, struct svma at,
                             struct unwind_frame *frame, const struct unwind_memory *memory);
/* The same where only reading the code has given a rule: a good guess, but no more. */
enum unwind_step unwind_step_derived(const struct unwind *unwind, struct svma at,
                                     struct unwind_frame *frame,
                                     const struct unwind_memory *memory);

/* Eight bytes, from the window or else by the callback. */
bool unwind_read(const struct unwind_memory *memory, struct avma at, uint64_t *ret_value);
