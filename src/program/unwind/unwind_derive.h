/* Rules for code that no entry describes, found by reading it.
 *
 * From the start of each function, along all its ways, it is followed how far rsp is from where the
 * return address lies and which callee-saved registers were pushed where. Code is left out where
 * that is not known: behind jumps through tables, and where rsp gets a value that cannot be
 * followed. A table of the same code's entries agrees with nearly all of it (docs/PERFORMANCE.md).
 */
#pragma once

#include "base/vec.h"
#include "program/unwind/unwind_rule.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct unwind;

struct derived {
    struct svma start;
    uint32_t bytes;
    struct unwind_rule rule;
};
struct deriveds {
    VEC(struct derived); /* by start, disjoint: one an instruction */
};

struct derive_function {
    uint64_t start, end;
    bool sized; /* the symbol says where it ends; else it is where the next one starts */
};
struct derive_functions {
    VEC(struct derive_function); /* by start */
};

/* Appends what symbols tell of functions that start in [low, high). */
void derive_functions_read(struct derive_functions *functions, const struct image *image,
                           struct svma low, struct svma high);

/* Of all functions whose start has no rule in the table. */
void unwind_derive(struct deriveds *deriveds, const struct unwind *unwind,
                   const struct image *image);
/* Of these functions, and of those in [low, high) that they call; nothing outside of it is read. */
void unwind_derive_functions(struct deriveds *deriveds, const struct image *image,
                             const struct derive_function *functions, size_t n, struct svma low,
                             struct svma high);
void deriveds_release(struct deriveds *deriveds);
