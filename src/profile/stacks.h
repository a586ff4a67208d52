/* Calling contexts that were seen, as a tree: a node is a place and the node that called it.
 *
 * A root stands for a thread: module MODULE_NONE, address stack_thread(pid, tid). The node below it
 * is the thread's outermost frame, and so on inwards. The address of an interrupted place is that
 * of the instruction to run next; the address of a caller is its return address less one, which
 * lies inside the call instruction and is never the start of one, so the two cannot be mistaken.
 *
 * A node weighs what was seen with it innermost; what was seen below it is the sum over its
 * subtree. Weights are nanoseconds, or events where the recording's fact "event" says so.
 * Observations are dealt out in turn to STACK_GROUPS groups, and each node has its weight group by
 * group: whatever nodes are added up to (a function, a line, a subtree), the spread of the groups'
 * sums tells how far the sum can be trusted. Sums of squares per node could not: they know nothing
 * of how nodes vary together.
 *
 * Numbers count up in order of appearance, so a parent's is less than its children's. A path has at
 * most STACK_DEPTH_MAX nodes, its root included: what would be below belongs to the last. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { STACK_GROUPS = 32, STACK_DEPTH_MAX = 4096 };
/* An exact profile has no observations to deal out: a node weighs how often it was called, and
 * beside that has ticks of the time stamp counter. Where those are of some stays in it, scaled to
 * all: how many were measured, and the variance of the ticks by STACK_SPREAD_UNIT. Or, of a trace
 * through a model of a core, what that says of it: misses in the first cache, wrong guesses, cycles
 * in which nothing retired. */
enum {
    STACK_CALLS = 0,
    STACK_TICKS = 1,
    STACK_TIMED = 2,
    STACK_SPREAD = 3,
    STACK_L1D = 4,
    STACK_MISPREDICTS = 5,
    STACK_STALLS = 6,
    STACK_VISITS = 7, /* stays in it, those that were not measured among them */
};
enum { STACK_SPREAD_UNIT = 4096 };
#define STACK_NONE UINT32_MAX

/* Keys: no padding, compared by bytes. */
struct stack_key {
    uint32_t parent; /* STACK_NONE: a root */
    uint32_t module;
    uint64_t address;
};
struct stack_cell {
    uint32_t node, group;
};

struct stacks {
    struct map nodes; /* struct stack_key */
    struct stack_depths {
        VEC(uint16_t);
    } depths;         /* of nodes; of a root 0 */
    struct map cells; /* struct stack_cell: index i owns weights.at[i] */
    struct stack_weights {
        VEC(uint64_t);
    } weights;
};

void stacks_init(struct stacks *stacks);
void stacks_release(struct stacks *stacks);
/* Forgets everything but keeps the memory. */
void stacks_clear(struct stacks *stacks);

static inline uint64_t stack_thread(uint32_t pid, uint32_t tid)
{
    return (uint64_t)pid << 32 | tid;
}

/* The node's number; a new one has no weight. The parent's own if it is as deep as can be. */
uint32_t stacks_node(struct stacks *stacks, uint32_t parent, uint32_t module, uint64_t address);
struct stack_key stacks_key(const struct stacks *stacks, uint32_t node);
/* Whether any place is known with who called it. */
bool stacks_have_callers(const struct stacks *stacks);
/* Stops at the maximum of the type. */
void stacks_add(struct stacks *stacks, uint32_t node, uint32_t group, uint64_t weight);
