/* Pairs of memory accesses that stand in each other's way, with their places and how often.
 *
 * The share of a pair is that of the executions of its second access (or, where threads share a
 * line, of the windows that it was seen in). What happens to one execution in a hundred or less, or
 * by chance alone, is not shown unless all is asked for. A measured latency of the second access is
 * set beside it where there is one. It says what lines that threads share cost, and accesses that
 * are split; of stores that are still under way it says nothing, since a timed load waits for them.
 * Of loads that cannot be forwarded a model of a core tells how often that comes about, if the
 * profile keeps windows with addresses; all other such pairs stay potential. */
#pragma once

#include "base/vec.h"
#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"

struct conflict_end {
    uint32_t module; /* of the scene */
    uint64_t address;
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
};

struct conflict_view {
    struct scene *scene;
    double tsc_hz;   /* 0: not known */
    uint64_t looked; /* accesses that were looked at */
    size_t left_out; /* rows that are rare or chance */
    uint32_t within; /* instructions */
    char core[32];   /* that was modelled; "": none */
    VEC(struct conflict_row);
};

/* "store-forward" and so on; and what it means, in a line. */
const char *conflict_type_name(enum conflict_type type);
const char *conflict_type_text(enum conflict_type type);

/* Pairs no further apart than `within` instructions; `all`: rare ones, too. */
void conflict_view_make(struct conflict_view *view, struct scene *scene, uint32_t within, bool all);
void conflict_view_release(struct conflict_view *view);
/* Has a model tell of rows what it can. */
void conflict_view_model(struct conflict_view *view);
/* "measured", "modelled" or "potential". */
const char *conflict_row_sure(const struct conflict_row *row);
