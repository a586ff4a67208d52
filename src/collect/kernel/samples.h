/* Samples become weights of calling contexts. */
#pragma once

#include "collect/kernel/jit_names.h"
#include "profile/kernel_names.h"
#include "collect/stacks/last_nodes.h"
#include "collect/stacks/stack.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_sample;
struct processes;
struct profile;
struct tasks;
struct totals;

struct samples {
    struct profile *profile; /* gets modules and names */
    struct stacks *nodes;    /* of it; the samples' own unless set otherwise */
    struct totals *totals;   /* get losses; the profile's own unless set otherwise */
    struct samples *named;   /* keeps names of code without a file: itself unless set otherwise */
    const char *event;       /* another than the first (profile/events.h); NULL: the first */
    bool clock;              /* weights are nanoseconds of CPU time */
    bool chains;             /* samples have the kernel's call chain */
    bool beside;             /* an agent samples user mode where there is one */
    struct processes *processes;
    struct tasks *tasks;
    uint64_t stretch; /* factor of weights minus 1, in 2^-20: sampling pauses now and then */
    struct stack stack;
    struct last_nodes last;
    uint32_t kernel_module, unknown_module; /* MODULE_NONE: no samples in it */
    struct kernel_names kernel_names;
    struct jit_names jit_names;
    /* so far */
    uint64_t taken, in_kernel;
    uint64_t bare; /* in user mode, of processes without an agent: if `beside` */
    uint64_t ends[STACK_N_ENDS], fallbacks[STACK_N_FALLBACKS]; /* of user stacks */
};

void samples_init(struct samples *samples, struct profile *profile, struct processes *processes,
                  struct tasks *tasks);
void samples_release(struct samples *samples);
/* Adds the names of code without a file to the profile. `last`: all of them. */
void samples_tell_names(struct samples *samples, bool last);
/* The profile's stacks were emptied. */
void samples_forget(struct samples *samples);
/* The node of its stack. */
uint32_t samples_node(struct samples *samples, const struct perf_sample *sample);
/* The same of a stack that is not the kernel's copy. */
uint32_t samples_look(struct samples *samples, uint32_t pid, uint32_t tid,
                      const struct stack_sample *from);
void samples_add(struct samples *samples, const struct perf_sample *sample);
/* Likewise of samples of another event than the first: they weigh what the kernel says. */
void samples_add_other(struct samples *samples, const struct perf_sample *sample);
