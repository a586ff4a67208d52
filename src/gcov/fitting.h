/* What the parts of fit.c share: one function while its arcs are being fitted. */
#pragma once

#include "base/map.h"
#include "gcov/fit.h"
#include "gcov/solve.h"

/* Code of a line lies in a block of the program. */
struct home_key {
    uint32_t home, group;
};

/* A part of the body of an inlined copy: from one block to another. */
struct body {
    uint32_t first, last; /* first: UINT32_MAX: nothing tells */
};

struct fitting {
    const struct notes_function *function;
    const struct line_groups *groups;
    const struct sightings *sightings;
    uint32_t *discriminators;         /* of each block, as gcc may have given them */
    uint32_t *whole;                  /* what each block is a continuation of: blocks_uncut */
    uint32_t *first_arc;              /* of each block, and one more */
    uint32_t *first_line, *last_line; /* groups of each block's, or GROUP_NONE */
    uint32_t *first_of_lines;         /* of line_group, for each block and one more */
    uint32_t *line_group;             /* the groups of each block */
    uint32_t *decides; /* for each block the only one before it, if that one branches; or 0 */
    struct map homes;  /* struct home_key */
    bool *seen;        /* of each group: the program has code of it */
    uint32_t *times;   /* of each group: that a statement of it begins in one piece of code */
    uint32_t *turns;   /* of each block: of the loop without a branch that it is in; 0: in none */
    bool *branches;    /* of each block: the program has a branch that is its */
    uint64_t *arcs;    /* of the round before */
    uint64_t *blocks;  /* count of each, as the arcs have it */
    bool first_round;
    struct map body_keys; /* function that was inlined several times -> index of first_body */
    struct first_body {
        VEC(uint32_t);
    } first_body;
    struct bodies {
        VEC(struct body); /* of each copy */
    } bodies;
    struct votes votes, arc_votes;
};

/* Sightings of one line, or of one inlined copy of it: from first up to end. */
struct line_seen {
    uint32_t group;
    size_t first, end;
    const uint32_t *blocks; /* that have the line, in that copy */
    uint32_t n_blocks;
};

bool fitting_group_has(const struct fitting *fitting, uint32_t group, uint32_t block);
/* Whether the last statement of a block of the group is of the group, or of its line. */
bool fitting_ends_in(const struct fitting *fitting, uint32_t block, uint32_t group);
/* Two arcs that are not fake. */
bool fitting_branches(const struct fitting *fitting, uint32_t block);
/* More than two. */
bool fitting_switches(const struct fitting *fitting, uint32_t block);
void fitting_vote(struct votes *votes, uint32_t at, uint32_t more, uint32_t less, uint64_t count);

/* Discriminators of a line are believed below the result: beyond the first that was seen and is not
 * there, numbers have shifted. 0: none is, code has lost them. */
uint32_t fitting_believed(const struct fitting *fitting, const struct line_seen *line);

/* One of several things with a count, to be matched with others by it. */
struct match {
    uint32_t at;
    uint64_t count;
};
/* Sorts both by count and gives each of a one of b, both going up together, as near as possible.
 * b_of: for each of a, in its new order. shared: each of b has one of a as well, if there are
 * enough. Else none of b is given twice, and where there are fewer of b than of a the others get
 * MATCH_NONE. */
#define MATCH_NONE UINT32_MAX
void matches_align(struct match *a, size_t n_a, struct match *b, size_t n_b, bool shared,
                   uint32_t *ret_b_of);

/* Loops of which the program has no branch, but code: their turns, votes for their arcs. */
void fit_unrolled(struct fitting *fitting);
/* Other branches of which it has none. */
void fit_unseen(struct fitting *fitting);
/* Whether code of a way may have been made unconditional: the way leads on at once or by a block
 * without calls, of whose own lines the program has code, or which has none. */
bool fitting_way_vanishes(const struct fitting *fitting, uint32_t block, uint32_t before);

/* All votes of a block as one, unless they are weighed. */
void votes_join(struct votes *votes, enum fit_voting voting);

void fit_bodies_find(struct fitting *fitting);
/* Sets the blocks that have the line: of an inlined copy those of its body, where that is known. */
void fit_line_narrow(const struct fitting *fitting, struct line_seen *line);

/* Votes of what was seen of a line: for blocks, and for arcs. */
void fit_blocks(struct fitting *fitting, const struct line_seen *line);
void fit_ways(struct fitting *fitting, const struct line_seen *line);
void fit_arrivals(struct fitting *fitting, const struct line_seen *line);
