/* Pseudo probes: the places of the source that clang -fpseudo-probe-for-profiling numbers, and
 * where their code is.
 *
 * Each block and each call of a function has a number in it, given before clang optimizes. A probe
 * is one copy of such a place in the program: code that was duplicated has several, code that was
 * removed none. So their counts add up, and blocks without a line of their own have one, too. A
 * node is a function, or a copy of one that was inlined into another node. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

enum probe_kind { PROBE_BLOCK, PROBE_INDIRECT_CALL, PROBE_DIRECT_CALL };
enum { PROBE_ENTRY = 1 }; /* number of the block that a function begins with */
#define PROBE_NODE_NONE UINT32_MAX

struct probe {
    uint64_t at; /* svma */
    uint32_t node;
    uint32_t number;        /* in its function; from 1 */
    uint32_t discriminator; /* 0: none */
    uint8_t kind;           /* enum probe_kind */
};

struct probe_node {
    uint32_t parent;  /* less than its own number; PROBE_NODE_NONE: a function by itself */
    uint32_t site;    /* number of the call in the parent that it was inlined at */
    const char *name; /* of the function, as clang calls it; NULL: the program does not say */
    uint64_t
        checksum; /* of the function's graph, by which clang knows that the source is the same */
    bool stray;   /* it lost where it was inlined, and is no part of its own function's code */
};

struct probes {
    VEC(struct probe); /* by address */
    struct probe_nodes {
        VEC(struct probe_node);
    } nodes;
    struct arena arena; /* of names */
};

/* None of a program that has no probes. What is broken ends them: those before it are there. */
void probes_read(struct probes *probes, const struct image *image);
void probes_release(struct probes *probes);
/* The first probe at the address or behind it; probes->n: none. */
size_t probes_from(const struct probes *probes, uint64_t at);
