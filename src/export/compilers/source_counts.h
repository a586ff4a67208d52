/* Counts by place of the source, as compilers read them: functions and the copies inlined into
 * them, each with the counts and call targets of its lines.
 *
 * A body is a function, or what was inlined into another body at one place. Functions of one name
 * are one, because compilers read by name. A place is a line, relative to the function's
 * declaration and modulo 2^16, with a discriminator that separates code of one line. The count of
 * a place is that of its most frequent instruction: code of one line is in many blocks, and their
 * sum means nothing. Places that did not run, in functions that ran, have count 0. */
#pragma once

#include "base/intern.h"
#include "base/map.h"
#include "export/job/code.h"

struct dwarf_unit;
struct probes;
struct recorded;

/* How a compiler calls things. */
struct source_dialect {
    /* What it calls a function that debug information or the linker calls so, in the arena or as it
     * is: without what compilers put behind names. NULL: nothing. */
    const char *(*name)(struct arena *arena, const char *linkage);
    /* Functions are called as the linker calls them, if it does; else as debug information does. */
    bool symbols;
    /* The part of a discriminator that tells places apart. */
    uint32_t (*discriminator)(uint32_t discriminator);
    /* How many copies of the place were made, of which this is one. */
    uint32_t (*copies)(uint32_t discriminator);
};

/* Of clang (llvm.c). */
extern const struct source_dialect llvm_dialect;

#define BODY_NONE UINT32_MAX

struct source_place {
    uint32_t line, discriminator;
};

struct source_body {
    uint32_t parent;          /* less than its own number; BODY_NONE: a function by itself */
    uint32_t depth;           /* of a function 0 */
    uint32_t name;            /* of names */
    struct source_place site; /* in the parent */
    uint64_t total;           /* bytes of code that ran in it and in what is inlined in it */
    uint64_t head;            /* of a function: how often it was entered, as far as calls tell */
    uint64_t checksum;        /* of its graph; only of counts by probe */
    /* its parts of samples, targets and children */
    uint32_t first_sample, n_samples, first_target, n_targets, first_child, n_children;
};

/* How often a place of a body ran. */
struct source_sample {
    uint32_t body;
    struct source_place place;
    uint64_t count;
};

/* How often it called whom. */
struct source_target {
    uint32_t body;
    struct source_place place;
    uint32_t name;
    bool indirect; /* through a pointer */
    uint64_t count;
};

struct source_counts {
    const struct code_counts *code;
    const struct recorded *recorded; /* NULL: the code's counts are of whole functions */
    const struct source_dialect *dialect;
    struct intern names;
    struct source_bodies {
        VEC(struct source_body);
    } bodies;
    struct source_samples {
        VEC(struct source_sample); /* by body, place */
    } samples;
    struct source_targets {
        VEC(struct source_target); /* by body, place, count from the largest, name */
    } targets;
    uint32_t *children;  /* bodies: those of each by place, then name; */
    uint32_t *outermost; /* behind them, functions by total from the largest, then name */
    uint32_t n_outermost;
    bool probed; /* places are numbers of probes instead of lines */

    /* while they are made */
    struct map body_keys, sample_keys, target_keys, nodes, origins;
    struct map ranges; /* of recorded: names of functions, */
    struct source_range_counts {
        VEC(uint32_t);
    } n_ranges; /* and in how many pieces each is */
    struct source_nodes {
        VEC(struct source_node);
    } known; /* for each of nodes */
    struct source_origins {
        VEC(struct source_origin);
    } functions;   /* for each of origins */
    bool declared; /* some function's line is known */
};

/* A node of debug information that was looked at, and a function that it is a copy of. Code that
 * was inlined from a function without a name counts as the place that it was inlined at. */
struct source_node {
    uint32_t body, decl_line;
    bool nameless;
    struct source_place site; /* of a nameless one, in the body */
};
struct source_origin {
    uint32_t name, decl_line; /* name: BODY_NONE: it has none */
};

/* False: the binary does not say where its code comes from. All that is given outlives the counts;
 * recorded: where the code is from, or NULL. */
bool source_counts_make(struct source_counts *counts, const struct code_counts *code,
                        const struct recorded *recorded, const struct source_dialect *dialect,
                        struct err *err);
/* The same by probes (program/probes.h): the line of a place is a probe's number, and its count the
 * sum of its copies. */
void source_counts_probed(struct source_counts *counts, const struct code_counts *code,
                          const struct recorded *recorded, const struct source_dialect *dialect,
                          const struct probes *probes);
void source_counts_release(struct source_counts *counts);

const char *source_name(const struct source_counts *counts, uint32_t name);
/* By line, then discriminator. */
int source_place_order(struct source_place x, struct source_place y);
