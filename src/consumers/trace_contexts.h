/* Calling contexts of a traced program: what an exact run that counts them must come to
 * (--exact=trace+contexts).
 *
 * Another way to the same tree than nodes in the program's memory (wire/node.h): here each thread
 * has a stack of activations, which calls and returns of its course push and pop; a return goes to
 * the innermost that waits for it, and who arrives in the middle of another function, by longjmp or
 * an exception, is in the innermost activation of that. A forked process begins at the root. */
#pragma once

#include "base/map.h"
#include "consumers/consumer.h"
#include "consumers/trace_replay.h"
#include "program/symbols/symbols.h"

struct profile;

struct trace_contexts {
    struct consumer consumer;
    const struct trace_replay *replay; /* which has read each passage before; NULL: nobody has */
    struct {
        VEC(struct trace_symbols *);
    } modules; /* of the profile, by number; NULL: not asked for yet */
    struct {
        VEC(struct trace_ends);
    } segments;           /* of the units */
    struct map functions; /* struct trace_function -> number less 1 */
    struct map children;  /* struct trace_child -> number of the node less 1 */
    struct {
        VEC(struct trace_node);
    } nodes; /* a parent stands before its children; the first is the root, the second above
                handlers of signals */
    struct {
        VEC(struct trace_thread);
    } threads;
};

void trace_contexts_init(struct trace_contexts *contexts, struct units *units);
void trace_contexts_release(struct trace_contexts *contexts);
/* The process has ended: adds the tree to an exact profile, as collect/exact/call_tree.h does. */
void trace_contexts_give(struct trace_contexts *contexts, struct profile *profile, uint32_t pid);
