/* What exports for viewers start from: the places of a run, their callers, and their weights.
 *
 * Times have their call stacks, as far as those were taken. Counts of instructions have no
 * callers: they give one root with every instruction that ran below it. Counts of calls
 * (--exact=contexts), and instructions of a trace (--exact=trace+contexts), have callers.
 *
 * Weights are integers that add up: estimates are rounded so that the sum of any prefix is off by
 * less than one. */
#pragma once

#include "base/vec.h"
#include "analysis/counts/items.h"
#include "analysis/counts/labels.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

#define TREE_NONE UINT32_MAX

enum tree_unit {
    UNIT_INSTRUCTIONS, /* executed; estimated in a sampled profile */
    UNIT_NANOSECONDS,  /* of CPU time; in a plain profile kernel time too */
    UNIT_EVENTS,       /* the profile's fact "event" has their name */
    UNIT_CALLS,        /* exact: of functions, in their contexts; */
    UNIT_TICKS,        /* or, if they were taken, ticks of the clock in each */
};

struct tree_node {
    uint32_t
        parent; /* TREE_NONE: a root, which stands for a thread; else less than its own number */
    uint32_t module;  /* of the profile; MODULE_NONE of a root */
    uint64_t address; /* as in profile/stacks.h; of a root stack_thread(), 0: no thread is known */
    uint64_t weight;  /* seen with this place innermost */
};

struct tree_filter {
    uint32_t pid, tid;  /* 0: all */
    const char *module; /* NULL: all; else what has its innermost place there, by path or name */
    bool contexts; /* calls in their contexts are preferred to instructions, where they were counted
                    */
};

struct tree {
    const struct profile *profile;
    const char *module; /* of the filter */
    enum tree_unit unit;
    uint64_t total; /* of the weights */
    VEC(struct tree_node);
};

/* The scene has one side, and all of its modules. A wish that the profile cannot grant is an error.
 */
bool tree_build(struct tree *tree, const struct scene *scene, enum weight weight,
                struct tree_filter filter, struct err *err);
void tree_release(struct tree *tree);

/* Whether the filter lets a module of the profile through. */
bool tree_module_matches(const struct tree *tree, uint32_t module);
/* What the weights are, in a word: "instructions", "nanoseconds", or the name of the event. */
const char *tree_unit_name(const struct tree *tree);
/* What to call a thread: as the kernel does, or else as the program is called. Of several names, a
 * process that called exec has one for each program, the one that used the most time. */
const char *tree_thread_name(const struct tree *tree, uint64_t thread, struct arena *arena);
