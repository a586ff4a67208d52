/* The functions that an address belongs to, innermost first, each with its function in gcc's
 * notes. */
#pragma once

#include "gcov/objects.h"
#include "program/binary.h"

struct chain_link {
    const struct inline_node *node;
    bool known; /* the notes have it */
    struct object_function function;
    const char
        *file; /* where: of the innermost one the line, of others the call; NULL: not known */
    uint32_t line, column, discriminator;
};

struct chains {
    const struct objects *objects;
    const struct binary *binary; /* lines and inlines have been read */
    struct inline_names names;
    uint32_t *object_of; /* for each unit of the debug information: OBJECT_NONE, or whose it is */
    struct map nodes;    /* unit and node -> index of functions */
    struct chain_functions {
        VEC(struct object_function); /* object OBJECT_NONE: not in the notes */
    } functions;
    uint32_t unit; /* of the last answer */
    VEC(struct chain_link);
};

void chains_open(struct chains *chains, const struct objects *objects, const struct binary *binary);
void chains_close(struct chains *chains);
/* One function of the program for sure: tells which notes its unit has. All of them come before
 * questions. */
void chains_vote(struct chains *chains, struct svma start);
void chains_count_votes(struct chains *chains);

/* Sets the links; none: no debug information there. */
void chains_find(struct chains *chains, struct svma at);
