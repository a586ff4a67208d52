/* From execution counts of source places to counts of all arcs of gcc's graph.
 *
 * Notes say which blocks have statements of a line, but not which statement. If one block has the
 * line, all counts of the line belong to it. If several have it, discriminators separate them
 * (discriminators.h). If those do not, the counts are first only a bound. Then they go to the
 * blocks that fit best, given the current flow through the graph, and so on until nothing changes.
 */
#pragma once

#include "gcov/lines.h"

enum sighting_kind {
    SIGHTING_CODE,   /* instructions: may have been moved, merged or made unconditional */
    SIGHTING_BRANCH, /* conditional branches: one per execution */
    SIGHTING_CALL,   /* calls, likewise */
    SIGHTING_MET, /* a statement at a join of paths, before another one: it may belong to one path
                     only */
    SIGHTING_STATEMENT, /* a statement begins here, says the compiler */
    SIGHTING_WAYS,      /* both ways of one conditional branch */
    SIGHTING_ARRIVAL,   /* indirect jumps to the place */
    SIGHTING_ENTRY,     /* entries of the function, with those of its copies */
    SIGHTING_ENTERED,   /* entries of the function itself: at least so many */
};

enum { WAY_LINES = 4 };

/* Executions of one source place, with all copies of it that are known to be copies. */
struct sighting {
    uint32_t group; /* of the function's line_groups */
    uint32_t column, discriminator;
    uint64_t count;
    uint8_t kind;   /* enum sighting_kind */
    bool by_column; /* places of the line differ by column: discriminators mark copies */
    uint32_t home;  /* the block of the program's code with most of the executions */
    uint32_t times; /* of statements: how often it begins in one block of the program's code */
    /* Of a function that was inlined several times: number of the copy from 1, number of copies,
     * first line; 0: not a copy. */
    uint32_t instance, instances, entry;
    /* Executions of each way, the lines of the code it leads to (padded with GROUP_NONE), and the
     * discriminator of the first line. Arrivals have only the lines of the first way. */
    uint64_t ways[2];
    uint32_t to[2][WAY_LINES], to_discriminator[2];
    uint32_t bytes[2]; /* of the code of each way alone, without jumps */
};
struct sightings {
    VEC(struct sighting); /* by group, then copy */
};

/* How much of a function's counts is measured. Where the program lacks one of gcc's branches
 * (conditional moves, merged conditions), the ways are inferred. */
struct fit_told {
    uint64_t branched; /* executions of branches, by the fitted counts */
    uint64_t told;     /* of these, branches that the program has too */
};

/* How several votes for one block combine: each with its own weight, or into one. */
enum fit_voting { VOTING_WEIGHED, VOTING_MAXIMUM, VOTING_AVERAGE };

/* Fills ret_arcs, one for each arc. False: counts are too large. */
bool arcs_fit(const struct notes_function *function, const struct line_groups *groups,
              const struct sightings *sightings, enum fit_voting voting, uint64_t *ret_arcs,
              struct fit_told *ret_told);
