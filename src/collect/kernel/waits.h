/* Where threads wait: the stack of a thread when it leaves its CPU, and how long it is away.
 *
 * Context switches report when each wait begins and ends. Samples of the waiter (perf_request.h)
 * add stacks, for all waits or, where threads switch often, for some. Waits without a stack are
 * distributed over those of the same thread that have one, are of the same kind and lasted about
 * as long (a factor of two; all short ones are alike). So time and number of waits add up to what
 * switches report, and a stack is not favoured because its waits are short or long. What finds no
 * such wait belongs to the thread.
 *
 * A wait counts when it ends, or when the recording does. */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "collect/kernel/samples.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_ids;
struct perf_sample;
struct tasks;

/* What a thread does since it was last heard of. */
struct wait {
    uint32_t pid, tid;
    bool waits, runnable;
    bool asked; /* who holds its lock */
    bool gone;  /* it has ended, and leaves its CPU for the last time */
    uint64_t since_ns;
    uint64_t stack_ns; /* when the stack was taken */
    bool looked;       /* by /proc, while the thread waited: else when it left its CPU */
    uint32_t node;     /* of profile->waits; STACK_NONE: look in `path` */
    struct wait_path {
        VEC(struct stack_key);
    } path; /* innermost first; none: the stack is not known */
};

/* Waits of one thread, kind and length that are not in the profile yet. */
struct wait_stratum {
    uint64_t ns, n, longest_ns;
    uint64_t longest_end_ns; /* when that one ended */
    uint64_t seen_ns, seen;  /* of them, with a stack */
    uint64_t dealt_ns, dealt;
};

/* A wait with a stack. */
struct wait_seen {
    uint32_t stratum, node;
    uint64_t ns, end_ns;
};

struct waits {
    struct profile *profile;
    bool off; /* others find them (looks.h) */
    const struct tasks *tasks;
    struct samples stacks; /* makes nodes of profile->waits */
    struct totals losses;  /* of those stacks: nobody looks at them */
    struct map tids;       /* index i owns at[i] */
    VEC(struct wait);
    struct map strata_keys;
    struct wait_strata {
        VEC(struct wait_stratum);
    } strata;
    struct waits_seen {
        VEC(struct wait_seen);
    } ended; /* waits with a stack */
    /* so far */
    uint64_t taken, missed; /* stacks; and those that the kernel had no room for */
};

/* `samples` keeps the names of the kernel's functions. */
void waits_init(struct waits *waits, struct samples *samples);
void waits_release(struct waits *waits);

/* The stack of a thread that is leaving its CPU. */
void waits_stack(struct waits *waits, const struct perf_sample *sample);
/* `runnable`: others wanted its CPU. */
void waits_switch(struct waits *waits, const struct perf_ids *ids, bool out, bool runnable);
/* Looks at a thread that may wait already: when it is first followed, and again when the waiter is
 * on. In between it may begin another wait, whose stack nobody takes. `since_ns`: if no switch says
 * when the wait began. */
void waits_meet(struct waits *waits, uint32_t pid, uint32_t tid, uint64_t since_ns);
void waits_exit(struct waits *waits, uint32_t tid);

/* Finds out which locks threads wait for that have waited for long, and who holds them. */
void waits_ask(struct waits *waits, uint64_t now_ns);
/* Adds the waits that have ended to the profile, whose nodes are then not needed any more. `last`:
 * all others, too. */
void waits_tell(struct waits *waits, uint64_t now_ns, bool last);
/* The profile's stacks were emptied. */
void waits_forget(struct waits *waits);
