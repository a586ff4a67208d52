/* Calling contexts as a tree: a node is a place and its parent the caller.
 *
 * A root stands for a thread: module MODULE_NONE, address stack_thread(pid, tid). The node below it
 * is the thread's outermost frame, and so on inwards. An interrupted place has the address of the
 * next instruction. A caller has its return address less one, which lies inside the call and is
 * never the start of an instruction, so the two cannot be confused.
 *
 * A node weighs the observations with it innermost; add up the subtree for the rest. Weights are
 * nanoseconds, or events if the fact "event" says so. Observations are distributed in turn over
 * STACK_GROUPS groups, and a node has a weight for each. For any sum of nodes (a function, a line,
 * a subtree) the spread of the groups' sums gives its confidence interval. Sums of squares per node
 * could not: they ignore how nodes vary together.
 *
 * Nodes are numbered in order of appearance, so a parent has a lower number than its children. A
 * path has at most STACK_DEPTH_MAX nodes with its root; anything deeper belongs to the last. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { STACK_GROUPS = 32, STACK_DEPTH_MAX = 4096 };
/* An exact profile has no groups. A node has calls, and TSC ticks. If only some stays were timed,
 * ticks are scaled to all, and the node has the number of timed stays and the variance of ticks in
 * units of STACK_SPREAD_UNIT. A trace adds instructions; through a model of a core L1 misses,
 * mispredicted branches and cycles without retirement, too. */
enum {
    STACK_CALLS = 0,
    STACK_TICKS = 1,
    STACK_TIMED = 2,
    STACK_SPREAD = 3,
    STACK_L1D = 4,
    STACK_MISPREDICTS = 5,
    STACK_STALLS = 6,
    STACK_VISITS = 7, /* stays, timed or not */
    STACK_INSTRUCTIONS = 8,
    STACK_RECORDS = 9,       /* of thread nodes: records that the agent made for contexts, */
    STACK_RECORD_BYTES = 10, /* and their memory */
    STACK_CYCLES = 11,       /* the first of six more that a model tells (model_costs.h) */
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
    uint32_t maxima; /* bit i: group i keeps the largest weight, not the sum */
};

void stacks_init(struct stacks *stacks);
void stacks_release(struct stacks *stacks);
/* Clears but keeps the memory. */
void stacks_clear(struct stacks *stacks);

static inline uint64_t stack_thread(uint32_t pid, uint32_t tid)
{
    return (uint64_t)pid << 32 | tid;
}

/* The number of the node; a new one has no weight. At maximum depth, the parent. */
uint32_t stacks_node(struct stacks *stacks, uint32_t parent, uint32_t module, uint64_t address);
struct stack_key stacks_key(const struct stacks *stacks, uint32_t node);
/* Whether any node has a known caller. */
bool stacks_have_callers(const struct stacks *stacks);
/* Saturates; a group of `maxima` keeps the largest. */
void stacks_add(struct stacks *stacks, uint32_t node, uint32_t group, uint64_t weight);
