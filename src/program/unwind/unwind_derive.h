/* Rules for code that no entry describes, derived from the code itself.
 *
 * From the start of each function, along all paths, it tracks the distance of rsp from the return
 * address and where callee-saved registers were pushed. Code after jumps through tables, or after
 * an untracked change of rsp, gets no rule. Where entries exist, they agree with nearly all derived
 * rules (docs/PERFORMANCE.md). */
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
    VEC(struct derived); /* by start, disjoint: one per instruction */
};

struct derive_function {
    uint64_t start, end;
    bool sized; /* the symbol gives its size; else it ends where the next one starts */
};
struct derive_functions {
    VEC(struct derive_function); /* by start */
};

/* Appends the functions of symbols that start in [low, high). */
void derive_functions_read(struct derive_functions *functions, const struct image *image,
                           struct svma low, struct svma high);

/* For all functions whose start has no rule in the table. */
void unwind_derive(struct deriveds *deriveds, const struct unwind *unwind,
                   const struct image *image);
/* For these functions and those in [low, high) that they call. Reads nothing outside. */
void unwind_derive_functions(struct deriveds *deriveds, const struct image *image,
                             const struct derive_function *functions, size_t n, struct svma low,
                             struct svma high);
void deriveds_release(struct deriveds *deriveds);
