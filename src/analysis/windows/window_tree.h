/* One window as a tree of scopes: calls, the loops in them, and the calls that these make.
 *
 * Calls are followed by call and return instructions. A call that was under way when the window
 * began shows when control returns to it: it began at 0 then, and is marked `before`. A jump into
 * another function ends one call and begins the other at the same depth (`tail`). A stub is part of
 * the call that it leads to. Where control arrives somewhere that the last instruction cannot have
 * led to (a signal handler, a stack that was switched), the scopes end: `breaks` counts that.
 *
 * Loops are those of the function's graph (program/cfg/loops.h). An iteration begins when the first
 * instruction of the loop's head runs. */
#pragma once

#include "analysis/windows/window_code.h"

#define SCOPE_NONE UINT32_MAX
enum { WINDOW_MOST = 1 << 18 }; /* instructions; what a file has beyond that is not looked at */

enum scope_kind { SCOPE_CALL, SCOPE_LOOP };

struct window_scope {
    uint8_t kind;                         /* enum scope_kind */
    bool before, after;                   /* it began before the window; the window ended first */
    bool tail;                            /* a call that was jumped to */
    uint32_t parent;                      /* SCOPE_NONE: none */
    uint32_t from, to;                    /* instructions of the window; `to` is not in it */
    uint32_t own;                         /* instructions in it, and in nothing inside of it */
    int32_t depth;                        /* of calls: 0 is the shallowest of the window */
    uint32_t nest;                        /* of a loop: 1 is the outermost of its call */
    uint32_t function;                    /* of the code */
    uint32_t loop;                        /* of the code, if it is one */
    uint32_t site;                        /* the call instruction, of the code's, or SCOPE_NONE */
    uint32_t first_iteration, iterations; /* of a loop: where they begin, in `iterations` */
};

struct window_tree {
    const struct window_code *code;
    struct window_steps {
        VEC(uint32_t);
    } steps; /* the executed instructions, in order: of the code's */
    struct window_depths {
        VEC(int32_t);
    } depths;                 /* of calls, at each of them */
    VEC(struct window_scope); /* outer before inner, early before late */
    struct tree_iterations {
        VEC(uint32_t);
    } iterations;    /* first instructions, those of a loop together */
    uint32_t calls;  /* that began in the window, without tail calls */
    uint32_t levels; /* of calls, from the shallowest to the deepest */
    uint32_t breaks;
    uint32_t opaque; /* instructions that could not be read */
    bool broken;     /* the file's bytes make no sense from there on, or are too many */
};

/* Of the window with that index in the profile. */
void window_tree_build(struct window_tree *tree, struct window_code *code,
                       const struct windows *windows, size_t index);
void window_tree_release(struct window_tree *tree);
