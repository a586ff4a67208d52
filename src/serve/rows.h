/* The rows of an answer: {"rows": [{"address": "lua+0x2e2e3", ...}, ...]}. */
#pragma once

#include "base/vec.h"

struct row_values {
    VEC(char *);
};

/* The texts of one field of the rows that have it, in their order, without NULs. Rows of the kernel
 * are left out, and rows that weigh nothing: nobody asks for more about them. Text that is no JSON
 * ends the list. */
void rows_field(struct row_values *to, struct arena *arena, const char *text, size_t n,
                const char *field);
