/* Work without effect, pair by pair: both places, who called their functions, how often.
 *
 * Rows of one pair that differ in their callers become one, which names the callers of most of it.
 * What is overwritten after memset, calloc or the like did it is WASTE_SET, as what a string
 * instruction set. */
#pragma once

#include "analysis/counts/estimate.h"
#include "analysis/counts/scene.h"
#include "base/vec.h"

struct waste_place {
    uint32_t module; /* of the scene; MODULE_NONE: not known */
    uint64_t at;
};

struct waste_row {
    enum waste_kind kind;
    struct waste_place first, second, first_caller, second_caller;
    struct quantity quantity;
    double words;                 /* bytes (of calls: instructions), in the units of the count */
    uint64_t most;                /* of the callers that are named */
    uint64_t within, most_within; /* instructions: most of them are no farther apart */
    struct estimate count;        /* executions that need not be, in the whole run */
    struct estimate share;        /* of all executed instructions */
    struct estimate of;           /* of the executions of the place; NaN: not known */
    double each;                  /* instructions of an execution: of calls many */
    struct estimate bytes;        /* in the whole run; NaN: of calls */
    struct estimate rate, bytes_rate; /* each second of user CPU time; NaN: not known */
};

struct waste_asked {
    bool kinds_set; /* else all */
    enum waste_kind kind;
    uint64_t within; /* instructions */
};

struct waste_view {
    struct scene *scene;
    VEC(struct waste_row); /* the most instructions first */
};

void waste_view_make(struct waste_view *view, struct scene *scene, const struct waste_asked *asked);
void waste_view_release(struct waste_view *view);
