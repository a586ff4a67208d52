/* Which statements of a function gcc counts values of, in its order.
 *
 * Notes say nothing of them, and counters of values have no names: the first belongs to the first
 * such statement, and so on. A compilation with -fdump-ipa-profile lists them, and with
 * -fdump-tree-release_ssa-lineno it says where in the source each is. Both dumps lie beside the
 * notes. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum valued_kind {
    VALUED_INDIRECT,  /* a call: its target */
    VALUED_DIVISION,  /* the divisor */
    VALUED_REMAINDER, /* of unsigned numbers: the divisor, if it is a power of two, the quotient */
    VALUED_STRING, /* memcpy and its like: the size, its average, the alignment of the destination
                    */
};

struct valued_statement {
    uint8_t kind;     /* enum valued_kind */
    const char *text; /* as gcc prints it */
    const char *file; /* NULL: where it is is not known */
    uint32_t line, column;
};

struct valued_function {
    const char *name; /* as linked */
    bool odd;         /* lists what no gcc that we know does */
    VEC(struct valued_statement);
};

struct valued_functions {
    struct arena arena;
    VEC(struct valued_function); /* by name */
};

/* The flags that make gcc dump. */
#define VALUED_FLAGS "-fdump-ipa-profile -fdump-tree-release_ssa-lineno"

struct err;
struct file_list;

/* All such dumps below a folder, in order. */
bool valued_dumps_find(struct file_list *paths, struct arena *arena, const char *where,
                       struct err *err);
/* From the dumps beside the notes; none if there are no dumps. */
void valued_read(struct valued_functions *valued, const char *notes);
void valued_release(struct valued_functions *valued);
/* NULL: it is not listed, or odd. */
const struct valued_function *valued_find(const struct valued_functions *valued, const char *name);

/* The same of the text of dumps, which is not changed. */
void valued_list(struct valued_functions *valued, const char *text, size_t n);
void valued_place(struct valued_functions *valued, const char *text, size_t n);
