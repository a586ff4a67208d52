/* A plain profile together with its binaries: the function of each node of its stacks, and the
 * rows that nodes add up to.
 *
 * User and kernel time are never mixed: a plain view weighs one and shows the other beside it. A
 * stack that ends in the kernel weighs kernel time in each of its frames.
 *
 * A row's own weight (self) was seen with its code innermost. Its total was seen with its code
 * anywhere on the stack, counted once per stack. */
#pragma once

#include "analysis/counts/groups.h"
#include "analysis/counts/items.h"
#include "analysis/counts/scene.h"

struct err;

#define PLAIN_NONE UINT32_MAX

struct plain_filter {
    uint32_t pid, tid; /* 0: all */
    bool kernel;       /* weigh kernel time instead of user time */
};

struct plain_function {
    uint32_t module; /* of the scene, MODULE_NONE: of none */
    function_id function;
    uint64_t start;   /* 0: not known */
    const char *name; /* as linked, or as the recording has it; else the module's */
    bool shown;       /* the scene's filters let it through */
};

enum plain_flags {
    PLAIN_KEPT = 1,   /* of a thread that the filter lets through */
    PLAIN_KERNEL = 2, /* in the kernel */
    PLAIN_STUB = 4,   /* a stub of the PLT, taken for what it leads to */
};

struct plain {
    struct scene *scene;
    const struct profile *profile;
    uint32_t side;
    struct plain_filter filter;
    struct map function_keys;
    struct plain_functions {
        VEC(struct plain_function); /* by first appearance */
    } functions;
    /* For each node of the stacks. Parents have smaller numbers than their children. */
    uint32_t *function_of; /* PLAIN_NONE: a root, which stands for a thread */
    uint32_t *parent_of;   /* STACK_NONE: it is a root */
    uint8_t *flags;        /* enum plain_flags */
    /* whole: all threads, which times are measured by. kept: those of the filter, which shares are
     * measured by. beside: the other of user and kernel time of those kept. */
    struct groups whole, kept, beside;
    uint64_t beside_whole; /* the other, of all threads */
    double sample_weight;  /* mean; 0: not known */
    double beside_weight;  /* the same of the other */
    double cut; /* the share of the kept whose stacks were not followed to their end, at most */
};

/* The profile is the scene's of that side. Fails with the list of threads if the filter lets none
 * through. */
bool plain_open(struct plain *plain, struct scene *scene, uint32_t side, struct plain_filter filter,
                struct err *err);
void plain_close(struct plain *plain);
/* Takes stubs of the PLT for the functions that they lead to, where these are known. Not in exact
 * profiles: their stubs have these below. */
void plain_fold_stubs(struct plain *plain);
/* The number of the function, which is added if it is new. */
uint32_t plain_function_add(struct plain *plain, struct plain_function function);

/* Whether weights are events and not nanoseconds; the fact "event" has their name. */
bool plain_counts_events(const struct profile *profile);

/* Whether weights of this group count; an exact profile has others in its groups, too. */
bool plain_weighs(const struct plain *plain, uint32_t group);
/* Adds the weight of a cell; ticks of an exact profile do not weigh. */
void plain_add(const struct plain *plain, struct groups *groups, uint32_t group, uint64_t weight);
/* part / whole: with an interval, unless it is exact. */
struct estimate plain_part(const struct plain *plain, const struct groups *part,
                           const struct groups *whole);
/* Of the kept weight. */
struct estimate plain_share(const struct plain *plain, const struct groups *groups);
/* Seconds of CPU time, user or kernel as weighed, scaled to what the threads used as the kernel
 * counted it; or a number of events. */
struct estimate plain_amount(const struct plain *plain, const struct groups *groups);

/* The same of what was seen below something: stacks that were cut may have had it as well. */
struct estimate plain_total_share(const struct plain *plain, const struct groups *groups);
struct estimate plain_total_amount(const struct plain *plain, const struct groups *groups);

/* The same of a weight of the other of user and kernel time. */
double plain_beside(const struct plain *plain, const struct groups *groups);
/* What a weight of the other is, in the unit of what is weighed: both stand for as much time. */
double plain_beside_unit(const struct plain *plain);
struct estimate plain_beside_share(const struct plain *plain, const struct groups *groups);

struct plain_row {
    uint32_t function; /* of plain->functions */
    uint32_t callee;   /* of a call: of plain->functions */
    uint64_t at;       /* svma: instruction, start of a block or function, call site */
    uint32_t bytes;    /* of a block */
    const char *file;  /* of a line or an inlined function; NULL: not known */
    uint32_t line;
    const char *name; /* of an inlined function, as linked; NULL: none */
    struct groups self, total;
    struct groups beside; /* as total, of the other of user and kernel time */
};
struct plain_rows {
    VEC(struct plain_row); /* by first appearance */
};

/* by: anything but edges. Code that has no graph has no blocks: each place is one. Calls have no
 * self weight: their total is what was seen in the callee and below. Functions that are not shown
 * have no rows, and neither has the kernel when user time is weighed. Rows may weigh nothing. */
void plain_list(struct plain_rows *rows, struct plain *plain, enum item_by by);
void plain_rows_release(struct plain_rows *rows);
