/* Contexts as rows: numbered from the heaviest on, and those of them that are shown.
 *
 * The numbers depend on the profile and on the options of the contexts, and on nothing else: a row
 * that is cut off by a limit can be asked for later by the number of one that is not. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calling_contexts;
struct err;

struct context_rows {
    uint32_t *id_of;    /* of each context; CONTEXT_NONE: it weighs nothing */
    uint32_t *children; /* of each context: those right below it that weigh something */
    uint32_t n_all;     /* numbers */
    VEC(uint32_t);      /* contexts to show, by number: a caller stands before what it calls */
};

struct context_choice {
    size_t limit;
    bool has_below;
    uint32_t below; /* only the context of this number, its callers, and what is below it */
};

/* Fails if there is no context of that number. Shown contexts are weighed (contexts_weigh). */
bool context_rows_make(struct context_rows *rows, struct calling_contexts *contexts,
                       struct context_choice choice, struct err *err);
void context_rows_release(struct context_rows *rows);
