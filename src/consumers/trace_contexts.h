/* Calling contexts of a trace: the reference for exact runs that count them
 * (--exact=trace+contexts).
 *
 * It builds the same tree as the nodes in the program's memory (wire/node.h), another way. Each
 * thread has a stack of activations; calls push, and returns pop. A return goes to the innermost
 * activation that waits for it. Control that arrives inside another function, by longjmp or an
 * exception, continues in the innermost activation of that. A forked process begins at the root.
 *
 * Beyond what nodes count, it has the instructions of each context, and of each call with all that
 * it called (call_costs.h). */
#pragma once

#include "base/map.h"
#include "consumers/call_costs.h"
#include "consumers/consumer.h"
#include "consumers/trace_replay.h"
#include "program/symbols/symbols.h"

struct profile;

struct trace_contexts {
    struct consumer consumer;
    const struct trace_replay *replay; /* has read each passage before; or NULL */
    struct {
        VEC(struct trace_symbols *);
    } modules; /* by module of the profile; NULL: not read yet */
    struct {
        VEC(struct trace_ends);
    } segments;           /* of the units */
    struct map functions; /* struct trace_function -> number less 1 */
    struct map children;  /* struct trace_child -> number of the node less 1 */
    struct {
        VEC(struct trace_node);
    } nodes; /* parents before children; the first is the root, the second is above signal handlers
              */
    struct {
        VEC(struct trace_thread);
    } threads;
    struct call_costs costs;
    bool keeps; /* for consumers that read the passage after this one: */
    struct {
        VEC(uint32_t);
    } running; /* the context of each segment of the passage; 0: none */
};

void trace_contexts_init(struct trace_contexts *contexts, struct units *units);
void trace_contexts_release(struct trace_contexts *contexts);
/* The process has ended: adds the tree to an exact profile, as collect/exact/call_tree.h does. */
void trace_contexts_give(struct trace_contexts *contexts, struct profile *profile, uint32_t pid);
/* The tree as nodes of stacks: of each context, by number, the stack of its callers and its
 * function's start below. The caller frees them. */
uint32_t *trace_contexts_leaves(const struct trace_contexts *contexts, struct stacks *stacks,
                                uint32_t pid);
