/* Calling contexts of exact runs: a tree of nodes, in the bank of each thread at NODES_AT.
 *
 * A node is a function in one context: its caller (`parent`) and the call site (`site`). A
 * recursive call leads back to the function's node above instead of making a new one. When there is
 * no room, new nodes become children of NODE_OTHERS, whatever their caller.
 *
 * Nodes are records one after the other; a node's number is its offset in bytes from the start of
 * the area. The first is the root, which is no function; the first with 0 bytes ends the list.
 * Parents come before their children. When a thread ends, its tree is added to that of the
 * channel's own bank. */
#pragma once

#include <stdint.h>

enum {
    NODE_SIGNALS = 1 << 20, /* function numbers from here on: the root of that signal's handlers */
    NODE_OTHERS = NODE_SIGNALS + 128, /* the parent of contexts for which there was no room */
};
/* Marks a slot that is in use; the number of the function is in the other bits. */
#define NODE_TAG (UINT32_C(1) << 31)

struct wire_node {
    uint32_t bytes;       /* of this record; a multiple of 8 */
    uint32_t function;    /* a wire_function's number, or one of the above; 0: the root */
    uint32_t parent;      /* a node; 0 for the root */
    uint32_t first, next; /* first child, next sibling; 0: none */
    uint16_t slots;
    uint16_t paths;  /* 0: paths are not counted; else there are 2^(paths - 1) counters */
    uint32_t number; /* of struct wire_plan_function */
    int32_t left;    /* stays until the next measured one, minus one (see below) */
    uint64_t site;   /* avma of the last byte of the call or jump that led here; 0: not known, or
                      * outside of the   parent */
    uint64_t count;  /* calls */
    uint64_t ticks;  /* without its children's; only if asked for */
    /* CONTEXTS_TICKS_SOME: only some stays are measured, each multiplied by how many it stands for.
     * A stay lasts from a call or return that leads here to the next that leads away. */
    uint32_t gap;    /* stays from the last measured one to the next; drawn at random */
    uint32_t weight; /* mean of the distribution it was drawn from; 0: 1 */
    uint64_t timed;  /* stays measured */
    uint64_t stays;  /* stays that they stand for */
    uint64_t spread; /* variance of the ticks, divided by NODE_SPREAD */
    /* uint64_t counters[]: paths of its function in this context (wire/plan.h, PLAN_IN_NODE)
     * uint64_t slots[]: where calls of its code lead: a node's number; in the upper half NODE_TAG
     * and the number of its function */
};

enum { NODE_SPREAD = 4096 };

/* The ticks of all stays: those since the last measured one are taken to be like the others. */
static inline uint64_t node_ticks_whole(const struct wire_node *node)
{
    int64_t since = (int64_t)node->gap - 1 - node->left;
    if (!node->timed)
        return node->ticks;
    if ((int64_t)node->ticks <= 0)
        return 0;
    if (since <= 0 || !node->stays)
        return node->ticks;
    uint64_t mean = node->ticks / node->stays, rest = node->ticks % node->stays;
    return node->ticks + mean * (uint64_t)since + rest * (uint64_t)since / node->stays;
}

/* The number of all stays. */
static inline uint64_t node_stays_whole(const struct wire_node *node)
{
    int64_t since = (int64_t)node->gap - 1 - node->left;
    return node->stays + (since > 0 ? (uint64_t)since : 0);
}

/* The value of `paths` for functions with too many paths for a counter each: then only paths known
 * at translation have counters (struct wire_known_path). */
enum { NODE_KNOWN_PATHS = 12 };

static inline uint32_t node_counters(uint32_t paths)
{
    return paths ? UINT32_C(1) << (paths - 1) : 0;
}
