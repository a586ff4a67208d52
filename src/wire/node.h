/* Calling contexts of exact runs: a tree of nodes, in the bank of each thread at NODES_AT.
 *
 * A node is a function in one context: who called it (`parent`), and from where (`site`). One that
 * is called again further down is not a node of its own: the call leads back to the one above. What
 * is called when there is no room for more is a child of NODE_OTHERS, whoever called it. Nodes are
 * records one behind the other, numbered by their offset in bytes from the start of the area; the
 * first is the root, which is no function; the first that is 0 bytes long is none. Parents stand
 * before their children. When a thread ends its tree is added to that of the channel's own bank. */
#pragma once

#include <stdint.h>

enum {
    NODE_SIGNALS =
        1 << 20, /* functions from here on: the root of what a handler of that signal runs */
    NODE_OTHERS = NODE_SIGNALS + 128, /* above all contexts that were one too many */
};
/* In a slot, with the number of the function that it leads to: it is in use. */
#define NODE_TAG (UINT32_C(1) << 31)

struct wire_node {
    uint32_t bytes;       /* of this record; a multiple of 8 */
    uint32_t function;    /* struct wire_function's number, or one of the above; 0: the root */
    uint32_t parent;      /* numbers of nodes; of the root 0 */
    uint32_t first, next; /* child, sibling; 0: none */
    uint16_t slots;
    uint16_t paths;  /* 0: they are not counted; else there are 2^(paths - 1) counters */
    uint32_t number; /* struct wire_plan_function's */
    int32_t left;    /* stays until one is measured, less one (see below) */
    uint64_t site;   /* avma of the last byte of the call or jump that led here; 0: not known, or
                      * outside of the parent */
    uint64_t count;  /* how often */
    uint64_t ticks;  /* spent in it, less what its children spent; if they were asked for */
    /* CONTEXTS_TICKS_SOME: ticks are of some stays, from a call or return that leads here to the
     * next that leads away, each times how many it stands for. */
    uint32_t gap;    /* from the stay that was measured last to the one that will be; drawn */
    uint32_t weight; /* the mean of what it was drawn from; 0: 1 */
    uint64_t timed;  /* stays measured */
    uint64_t stays;  /* that they stand for */
    uint64_t spread; /* variance of the ticks, by NODE_SPREAD */
    /* uint64_t counters[]: of the paths of its function in this context (wire/plan.h, PLAN_IN_NODE)
     * uint64_t slots[]: where calls of its code lead: a node's number, and above it NODE_TAG and
     * that of its function */
};

enum { NODE_SPREAD = 4096 };

/* The ticks of all stays: those since the last that was measured were like the others. */
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

/* Of these how many there were. */
static inline uint64_t node_stays_whole(const struct wire_node *node)
{
    int64_t since = (int64_t)node->gap - 1 - node->left;
    return node->stays + (since > 0 ? (uint64_t)since : 0);
}

/* What `paths` is for functions with too many of them to have a counter each: counters are for
 * those that are known where code is made (struct wire_known_path). */
enum { NODE_KNOWN_PATHS = 12 };

static inline uint32_t node_counters(uint32_t paths)
{
    return paths ? UINT32_C(1) << (paths - 1) : 0;
}
