/* What would it bring? Windows of a recording go through the modelled core a second time, with one
 * thing changed at one place, and the difference is the gain.
 *
 * The model of the whole recording (analysis/pipeline/modelled.h) says which places can gain much;
 * only these are tried, and only in windows that contain them. A window that is gone again without
 * a change takes as many cycles as before, so a difference is the change's alone.
 *
 * The gain's interval is that of the cycles that an execution saves, which differ between groups of
 * windows. */
#pragma once

#include "analysis/whatif/candidate.h"
#include "analysis/whatif/measured.h"
#include "analysis/pipeline/modelled.h"

struct err;

struct whatif_asked {
    bool kinds_set; /* else all */
    enum whatif_kind kind;
    const char *core; /* NULL: see core_choice.h */
    uint32_t tries;   /* candidates at most */
    uint32_t windows; /* at most; 0: all */
    bool quick;       /* no candidates beyond tries, even if that leaves a kind without */
    /* What functions take, if the caller knows it already; NULL: it is found, by graphs of all
     * functions, which takes long in large programs. */
    const struct whatif_measured *measured;
};

struct whatif_row {
    struct candidate candidate;
    uint32_t module;         /* of the scene */
    struct estimate gain;    /* of the program's CPU time, as a part of 1; lo and hi are NaN
                              * if the change was seen in too few windows */
    struct estimate sampled; /* the same by the spread of windows alone */
    struct estimate each;    /* cycles that an execution saves */
    double executions;       /* in the whole run; NaN: not known */
    double happens;          /* of a branch or a load: how often it misses, of 1; else NaN */
};

struct whatif {
    struct modelled modelled;
    struct whatif_measured made;
    const struct whatif_measured *measured; /* that, or what was asked with */
    VEC(struct whatif_row);                 /* by gain_order */
    size_t found;                           /* candidates, of which some were tried */
    uint64_t replayed; /* windows that were gone again, once for each candidate */
    double left;       /* what the best candidate that was not tried can gain at most */
    double user_share; /* of CPU time */
    double speed;      /* cycles per instruction in the model to measured ones; NaN */
};

bool whatif_make(struct whatif *whatif, struct scene *scene, const struct whatif_asked *asked,
                 struct err *err);
void whatif_release(struct whatif *whatif);
