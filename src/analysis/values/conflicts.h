/* Pairs of memory accesses that conflict, with their places and frequencies.
 *
 * The share of a pair is that of the executions of its second access; where threads share a line,
 * of the windows that it was seen in. Pairs below one execution in a hundred, or explained by
 * chance, are shown only on request. The measured latency of the second access stands beside it,
 * if there is one. It shows the cost of shared lines and of split accesses. It says nothing about
 * stores in flight, because a timed load waits for them. For loads that cannot be forwarded, a
 * core model estimates how often that happens if the profile keeps windows with addresses. All
 * other such pairs stay potential. */
#pragma once

#include "base/vec.h"
#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"

struct conflict_end {
    uint32_t module; /* of the scene */
    uint64_t address;
};

/* The part of a row's pairs with these callers: where the functions of the two return to. module
 * MODULE_NONE: not known. */
struct conflict_callers {
    struct conflict_end from, to;
    uint64_t count;
    double
        share; /* of the executions of the second access with its caller; of threads not a number */
};

struct conflict_row {
    struct conflict_end from, to;
    enum conflict_type type;
    uint64_t count;
    uint64_t windows;        /* that its second access was seen in */
    double distance;         /* instructions between the two, on average */
    struct estimate share;   /* of executions, or windows, of the second */
    struct estimate ticks;   /* of the second, if it was timed; not a number: it was not */
    bool measured;           /* the latency is of the conflict */
    bool modelled;           /* a model has gone windows with the second in them */
    struct estimate fails;   /* modelled: of executions of the second */
    double fail_cycles;      /* and what each takes longer */
    uint32_t profile_module; /* of the second */
    double cost;             /* what rows are sorted by */
    size_t first_callers, n_callers;
};

struct conflict_view {
    struct scene *scene;
    double tsc_hz;   /* 0: not known */
    uint64_t looked; /* accesses that were looked at */
    size_t left_out; /* rows that are rare or chance */
    uint32_t within; /* instructions */
    char core[32];   /* that was modelled; "": none */
    struct {
        VEC(struct conflict_callers);
    } callers; /* of each row (record --context): the most frequent first */
    VEC(struct conflict_row);
};

/* "store-forward" and so on; and what it means, in a line. */
const char *conflict_type_name(enum conflict_type type);
const char *conflict_type_text(enum conflict_type type);

/* Pairs no further apart than `within` instructions; `all`: rare ones, too. */
void conflict_view_make(struct conflict_view *view, struct scene *scene, uint32_t within, bool all);
void conflict_view_release(struct conflict_view *view);
/* By pair: in this order rows are looked up. */
int conflict_rows_compare(const void *a, const void *b);
/* Gives rows, sorted by pair, their callers. */
void conflict_view_callers(struct conflict_view *view);
/* Has a model tell of rows what it can. */
void conflict_view_model(struct conflict_view *view);
/* "measured", "modelled" or "potential". */
const char *conflict_row_sure(const struct conflict_row *row);
