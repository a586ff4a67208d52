/* What changed between the calling contexts of two recordings.
 *
 * Contexts of both sides are one if their functions are (diff.h: by module and name without
 * suffixes of compilers) and their callers are one. Calls from different places of a function are
 * not kept apart: builds differ in addresses. Functions without a name can only be compared within
 * one build; else all of a module are one. */
#pragma once

#include "analysis/report/contexts.h"
#include "analysis/report/diff.h"

struct diff_context {
    uint32_t parent; /* CONTEXT_NONE: a root */
    uint32_t pair;   /* of modules; MODULE_NONE: of none */
    uint32_t children;
    const char *name; /* as linked; of a thread: readable */
    bool inlined, kernel;
    struct groups total[SIDES_MAX], self[SIDES_MAX];
    struct estimate amount[SIDES_MAX], share[SIDES_MAX], self_share[SIDES_MAX];
    struct estimate change, share_change;
    bool beyond, sure, share_sure; /* as in struct diff_row */
};

struct diff_contexts {
    struct diff diff; /* modules, names and scenes; it has no rows */
    struct plain plains[SIDES_MAX];
    VEC(struct diff_context); /* heaviest first, by the larger share; a parent before its children
                               */
};

/* Each scene has one side and shows all modules. Fails if a side has no stacks, or one is exact and
 * the other is not. */
bool diff_contexts_make(struct diff_contexts *contexts, struct scene *before, struct scene *after,
                        struct err *err);
void diff_contexts_release(struct diff_contexts *contexts);
