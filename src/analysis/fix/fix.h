/* What to do about what a recording shows: one row a place, with its evidence, a sentence and,
 * where it can be, a sketch in C.
 *
 * Rows come from what the recording has: branches and indirect calls from any; divisors, arguments,
 * sizes, loads and results if values were recorded; loops if windows were kept (strides and carried
 * values need addresses), and calls to inline, by the model of gait whatif; lines that threads
 * share if addresses were recorded. A row's weight is the part of the program that its function or
 * loop takes: what comes first, and the most that can be gained. It is not a prediction: gait
 * whatif makes those. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"
#include "base/map.h"
#include "base/vec.h"

enum fix_kind {
    FIX_BRANCH,     /* tell the compiler which way is the usual one */
    FIX_CALL,       /* an indirect call: test for the usual target */
    FIX_INLINE,     /* a call that is worth to be inlined */
    FIX_SPECIALISE, /* a value that is nearly always the same: guard and copy */
    FIX_LOOP,       /* what stops vectorisation */
    FIX_PREFETCH,   /* a load whose address is known early */
    FIX_PADDING,    /* threads share a line for no reason */
    FIX_KINDS
};

struct fix_row {
    enum fix_kind kind;
    uint32_t module; /* of the scene */
    uint64_t at;     /* svma */
    double weight;   /* of 1 */
    const char *evidence, *text;
    const char *sketch; /* lines of C; NULL: none */
    uint32_t argument;  /* of FIX_SPECIALISE: a whole number in a register, from 1; 0: none */
    int64_t value;      /* that it is */
    int64_t ahead;      /* of FIX_PREFETCH: bytes from the load's address; 0: no stride */
};

struct fixes {
    struct scene *scene;
    uint32_t kinds; /* bits: wanted */
    VEC(struct fix_row);
    struct fix_weights {
        struct map functions; /* module and function */
        VEC(double);
        double all;
    } weights;
};

const char *fix_kind_name(enum fix_kind kind);
bool fix_kind_find(const char *name, enum fix_kind *ret_kind);
/* The most important first. Texts hold until the scene is closed. */
void fixes_make(struct fixes *fixes, struct scene *scene, uint32_t kinds);
void fixes_release(struct fixes *fixes);

/* Within the folder. */
bool fixes_want(const struct fixes *fixes, enum fix_kind kind);
/* The part of the time, or else of the executions, that the function there takes. */
double fixes_weight(const struct fixes *fixes, uint32_t module, uint64_t at);
void fixes_add(struct fixes *fixes, struct fix_row row);
void fixes_branches(struct fixes *fixes);
void fixes_values(struct fixes *fixes);
void fixes_inline(struct fixes *fixes);
void fixes_loops(struct fixes *fixes);
void fixes_sharing(struct fixes *fixes);
