/* Calling contexts of a plain profile: who called whom, and what was spent there and below.
 *
 * Top-down: a context is a function and the context that called it. Its total includes everything
 * that it called. Bottom-up: a root is a function with weight of its own; below it are its
 * callers, each with the part of that weight that it caused. Flat: every function once.
 *
 * Recursion: a function that is already among the callers of its context is that context again,
 * whatever lies between. So no path holds a function twice, and trees stay shallow. Calls from
 * inside the recursion appear under the first call. The flat list is made from whole stacks: its
 * totals count everything below, once.
 *
 * With a chosen function, top-down trees start at its outermost call on each stack, bottom-up
 * trees at its innermost.
 *
 * Contexts weigh user or kernel time and show the other beside it; or both together, in one unit,
 * as a report does, and show what of it was in the kernel beside it. The two are sampled apart, at
 * rates of their own, so each has its own interval. */
#pragma once

#include "analysis/report/context_ticks.h"
#include "analysis/report/contexts_frames.h"

#define CONTEXT_NONE UINT32_MAX
#define CONTEXT_THREAD (UINT32_MAX - 1) /* as function: a thread */
#define CONTEXT_KERNEL (UINT32_MAX - 2) /* as function: all of a kernel that was not sampled */

enum contexts_form { CONTEXTS_TOP_DOWN, CONTEXTS_BOTTOM_UP, CONTEXTS_FLAT };
const char *contexts_form_name(enum contexts_form form);

struct contexts_options {
    enum contexts_form form;
    bool threads;         /* each thread is a root of its own */
    bool sites;           /* calls from different places of one function are different contexts */
    bool unfolded;        /* recursion as it is on the stacks */
    bool no_inlines;      /* inlined functions are part of what they are inlined into */
    bool both;            /* weigh user and kernel time together; the plain weighs user time */
    const char *module;   /* only what was seen with code of this module innermost; NULL: all */
    const char *function; /* only stacks with a function of this name or glob; NULL: all */
    uint32_t weighs;      /* STACK_INSTRUCTIONS, or what a model of a core said; 0: what there is */
};

/* Most contexts of a large profile are never shown: only of those that are, the groups are kept
 * (contexts_weigh). */
struct context_weight {
    uint64_t sum;
    struct groups *groups; /* NULL: not asked for */
};

struct calling_context {
    uint32_t parent;   /* CONTEXT_NONE: a root */
    uint32_t function; /* of frames.functions, CONTEXT_THREAD or CONTEXT_KERNEL */
    uint64_t thread;   /* of CONTEXT_THREAD: stack_thread */
    /* Where the call is, in the caller's code: in a bottom-up tree this context's own, else its
     * parent's. In the code that an inlined function became part of there is no place that calls.
     */
    uint32_t site_module; /* of the scene; MODULE_NONE: none or not wanted */
    uint64_t site;        /* address inside of the call instruction */
    const char *site_file;
    uint32_t site_line;
    bool recursive;   /* entered again from below */
    uint32_t callers; /* flat: functions that call it */
    /* beside: as total, of the other of user and kernel time; where both weigh, of the kernel's, in
     * its own unit */
    struct context_weight self, total, beside;
};

/* A cell of the stacks that counts, and the contexts that it belongs to: `end` and all above it by
 * their totals, and one by its own weight. */
struct context_cell {
    uint32_t cell, end, self; /* self: CONTEXT_NONE: no context's own */
    bool beside;
};

struct calling_contexts {
    struct contexts_options options;
    const struct plain *plain;
    struct context_clock clock;
    struct context_frames frames;
    bool *wanted;                /* for each function: is it asked for? NULL: all are */
    VEC(struct calling_context); /* a parent stands before its children */
    struct context_cells {
        VEC(struct context_cell);
    } cells;
    struct arena groups; /* of contexts that were weighed */
    double kernel_unit;  /* both: what a weight of the kernel is in the unit of the others */
    uint64_t too_many;   /* not 0: a bottom-up tree could have so many contexts; none was made */
    struct groups whole; /* what shares are shares of: the weight that the filters let through */
    struct groups beside;
};

/* The plain profile must outlive the contexts. */
void contexts_make(struct calling_contexts *contexts, struct plain *plain,
                   struct contexts_options options);
/* Gives `n` contexts, which are not weighed yet, their groups. With a context its callers must be
 * among them. NULL: all. A flat list has them already. */
void contexts_weigh(struct calling_contexts *contexts, const uint32_t *which, size_t n);
void contexts_release(struct calling_contexts *contexts);

/* Readable; of a thread its name and numbers. Lives as long as the scene. */
const char *context_name(const struct calling_contexts *contexts,
                         const struct calling_context *context);
/* Whether the function is one of the program or of the kernel, and no stand-in. */
static inline bool context_has_function(const struct calling_context *context)
{
    return context->function < CONTEXT_KERNEL;
}

/* Shares of the whole. Of a total: stacks that were cut may have had it as well. */
struct estimate context_self_share(const struct calling_contexts *contexts,
                                   const struct calling_context *context);
struct estimate context_total_share(const struct calling_contexts *contexts,
                                    const struct groups *total, const struct groups *beside);
/* How many samples had it on the stack, with the interval of its share. */
struct estimate context_samples(const struct calling_contexts *contexts,
                                const struct calling_context *context);
/* Seconds or events; plain_amount and plain_total_amount. */
struct estimate context_self_amount(const struct calling_contexts *contexts,
                                    const struct calling_context *context);
struct estimate context_total_amount(const struct calling_contexts *contexts,
                                     const struct groups *total, const struct groups *beside);

/* A trace has told how many instructions contexts executed. */
static inline bool contexts_have_instructions(const struct calling_contexts *contexts)
{
    return contexts->plain->profile->mode == PROFILE_EXACT &&
           contexts->whole.at[STACK_INSTRUCTIONS];
}

/* A model of a core has told what contexts cost. */
static inline bool contexts_modelled(const struct calling_contexts *contexts)
{
    const uint64_t *at = contexts->whole.at;
    return at[STACK_L1D] || at[STACK_MISPREDICTS] || at[STACK_STALLS];
}
