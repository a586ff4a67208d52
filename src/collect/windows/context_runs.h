/* What windows went through, run by run, in the calling contexts in which it was: the stack at the
 * interrupt, and from there on the calls and returns of the window itself. Without a stack contexts
 * are relative: they begin with the window.
 *
 * To follow calls costs far more than counting does, and contexts need many windows rather than
 * much of one: so only the first PASSAGES_EXITS exits of each are followed, weighed as if they were
 * the whole of it. 256 took a quarter of lua's windows, 32 are as many branches as hardware tells
 * of. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/stacks/last_nodes.h"
#include "process/units.h"

struct event_walk;
struct tally_weight;

enum { PASSAGES_EXITS = 32 };

struct context_runs {
    struct units *units;
    struct profile *profile; /* gets them */
    struct last_nodes last;  /* callers of each thread's last stack, in the profile's passages */
    struct passage_calls {
        VEC(struct passage_call);
    } calls;         /* of the window, that have not returned */
    struct map runs; /* of the window */
    struct passage_counts {
        VEC(uint64_t);
    } counts;
    uint32_t windows; /* so far */
    uint64_t lost;    /* returns to where no call was: longjmp, switched stacks */
};

void context_runs_init(struct context_runs *runs, struct units *units, struct profile *profile);
void context_runs_release(struct context_runs *runs);
/* The profile was emptied. */
void context_runs_forget(struct context_runs *runs);

/* `exits` has walk->n_exits known ids, and before them walk->n_lead that need not be. `stack`: at
 * the interrupt, or NULL. */
void context_runs_window(struct context_runs *runs, const struct event_walk *walk,
                         const uint32_t *exits, const struct stack *stack,
                         const struct tally_weight *weight);
