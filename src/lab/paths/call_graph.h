/* The call graph of a recording with contexts, and what each call in it led to: as measured, and as
 * gprof would have it, which knows how often each function was called from where, and what each
 * function took by itself.
 *
 * gprof gives a function's time, with all below it, to its callers in proportion to their calls.
 * Functions that call each other in a circle are one to it; calls among them are left out, and so
 * are they here. */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct lab_recording;

struct call_arc {
    uint32_t from, to; /* functions */
    double calls;
    double measured; /* instructions of the callee, and all below it, for this caller */
    double given;    /* what gprof would say */
    bool circle;     /* among functions that call each other: in neither */
};

struct call_node {
    double self;        /* instructions */
    double total;       /* as gprof adds it up, of the whole circle */
    double entries;     /* calls from outside the circle */
    uint32_t callers;   /* different ones, outside */
    uint32_t circle;    /* those with the same number call each other */
    uint32_t low, mark; /* while circles are found */
    bool open;
};

struct call_graph {
    struct map functions; /* struct call_function (call_records.h) */
    struct call_nodes {
        VEC(struct call_node);
    } nodes;         /* of each function */
    struct map keys; /* finds arcs */
    struct call_arcs {
        VEC(struct call_arc);
    } arcs;
    double instructions;
    uint32_t n_circles;
};

/* Of exact contexts with instructions (record --exact=trace+contexts). */
void call_graph_make(struct call_graph *graph, const struct lab_recording *recording);
void call_graph_release(struct call_graph *graph);
