/* From how often places of the source were seen to run to counts of all arcs of gcc's graph.
 *
 * Notes tell which blocks have statements of a line, but not which statement of it. Where only one
 * block has the line, all that was seen of the line speaks for that block. Where several have it,
 * discriminators tell them apart (discriminators.h); where those do not, what was seen is dealt
 * out: first only as a bound, then, given what flows through the graph so far, to the blocks that
 * it fits best; and so on until nothing changes. */
#pragma once

#include "gcov/lines.h"

enum sighting_kind {
    SIGHTING_CODE,   /* instructions: they may have been moved, merged or made unconditional */
    SIGHTING_BRANCH, /* conditional branches: one for each execution */
    SIGHTING_CALL,   /* calls, likewise */
    SIGHTING_MET, /* statements that begin where paths meet, before another one: they may be of one
                     path only */
    SIGHTING_STATEMENT, /* where the compiler says that a statement begins */
    SIGHTING_WAYS,      /* both ways of one conditional branch */
    SIGHTING_ARRIVAL,   /* indirect jumps to the place */
    SIGHTING_ENTRY,     /* beginnings of the function, its copies' with it */
};

enum { WAY_LINES = 4 };

/* Executions of one place of the source: all copies of it together, where they can be told to be
 * copies. */
struct sighting {
    uint32_t group; /* of the function's line_groups */
    uint32_t column, discriminator;
    uint64_t count;
    uint8_t kind;   /* enum sighting_kind */
    bool by_column; /* places of the line have columns of their own: discriminators are of copies */
    uint32_t home;  /* the block of the program's code where most of it was seen */
    uint32_t times; /* that it begins in one block of the program's code, of statements */
    /* Of a function that was inlined several times: which of its copies, from 1 on, how many there
     * are, and the line that it begins with; 0: of none. */
    uint32_t instance, instances, entry;
    /* How often each way was gone, the lines of the code that it leads to (GROUP_NONE fills up),
     * and the discriminator of the first. Of arrivals only the lines of the first way. */
    uint64_t ways[2];
    uint32_t to[2][WAY_LINES], to_discriminator[2];
};
struct sightings {
    VEC(struct sighting); /* by group, then copy */
};

/* How much of a function's counts is told by the program. Where it has no branch for one of gcc's,
 * because it moves values instead or decides several at once, how often each way was gone is
 * inferred. */
struct fit_told {
    uint64_t branched; /* executions of branches, by the fitted counts */
    uint64_t told;     /* of them, those of branches that the program has as well */
};

/* How many votes of one block become one: they stay many, each with its own weight, or they are
 * one, whatever they are of. */
enum fit_voting { VOTING_WEIGHED, VOTING_MAXIMUM, VOTING_AVERAGE };

/* Fills ret_arcs, for each of the function's. False: counts are too large to be reckoned with. */
bool arcs_fit(const struct notes_function *function, const struct line_groups *groups,
              const struct sightings *sightings, enum fit_voting voting, uint64_t *ret_arcs,
              struct fit_told *ret_told);
