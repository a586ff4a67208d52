/* Rewrites a function in the text of a C source: a copy of it in which one parameter is a constant,
 * and a guard that calls the copy.
 *
 *     static inline __attribute__((always_inline)) T f__copied(A a, B b) { ... }
 *     T f(A a, B b) { if (a == 2) return f__copied(2, b); return f__copied(a, b); }
 *
 * It reads as much of C as that takes. What it cannot read for certain (no prototype, a variable
 * number of arguments, lines for the preprocessor inside) stays as it is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;

struct specialise_wish {
    const char *function;
    uint32_t line;     /* one of the function's, from 1 */
    uint32_t argument; /* from 1; those in floating-point registers do not count */
    int64_t value;
};

/* The whole text anew. NULL: err says why not. */
const char *specialise_source(struct arena *arena, const char *text,
                              const struct specialise_wish *wish, struct err *err);
