/* Finds the ways that control can have reached an instruction. A way must fit the directions of the
 * last conditional branches, as the record of a sampled instruction has them, and perhaps another
 * instruction that ran shortly before.
 *
 * Code is divided into pieces: straight runs where only the last instruction may call. Arcs lead
 * backwards. From the place after a call, the way goes through the callee, from its returns to its
 * entry, and then to the call. At the entry of the first function it goes on to the callers, or
 * ends if only one function is asked for. A way is cut where the code is unknown (another module,
 * an unrecorded indirect call).
 *
 * A way ends when it has passed as many conditional branches as are known. There can be very many
 * ways: the search stops at TRAIL_WAYS_MAX, or after TRAIL_STEPS_MAX pieces, and reports that. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

enum trail_how {
    TRAIL_ALONG,    /* no conditional branch */
    TRAIL_TAKEN,    /* a taken conditional branch */
    TRAIL_PASSED,   /* a conditional branch, not taken */
    TRAIL_RETURNED, /* from a return of the callee */
    TRAIL_CALLED,   /* from the call of a caller, or its jump, to an entry */
};

struct trail_arc {
    uint32_t from;  /* piece */
    uint32_t site;  /* of TRAIL_RETURNED: the piece that ends in the call */
    uint8_t how;    /* enum trail_how */
    bool crosses;   /* a jump into another function: outside the one asked for */
    uint64_t count; /* executions, for trail_likely; 0: not known */
};

struct trail_piece {
    struct svma start, last; /* instructions */
    uint32_t instructions;
    uint64_t count;     /* executions, for trail_likely by blocks; 0: not known */
    uint32_t first_arc; /* its arcs end where the next piece's begin */
    bool entry;         /* of a function */
    bool cut;           /* control may arrive from unknown code */
};

/* Has one extra piece, for the end of the last piece's arcs. */
struct trail_graph {
    struct trail_pieces {
        VEC(struct trail_piece);
    } pieces;
    struct trail_arcs {
        VEC(struct trail_arc);
    } arcs;
    uint64_t taken, passed; /* executions of conditional branches, by their direction */
};

enum { TRAIL_WAYS_MAX = 64, TRAIL_STEPS_MAX = 20000, TRAIL_LENGTH_MAX = 400, TRAIL_CALLS_MAX = 64 };

struct trail_asked {
    uint32_t piece;
    struct svma at;   /* the instruction, in the piece */
    uint32_t before;  /* instructions of the piece before it */
    uint64_t history; /* the last branch in bit 0; 1: taken */
    uint32_t bits;    /* known: at most 64 */
    bool across;      /* callers too */
    bool seen_only;   /* do not use arcs with count 0 */
    bool has_pair;
    struct svma pair; /* must have run `distance` instructions before */
    uint32_t distance;
};

struct trail_way {
    VEC(uint32_t); /* pieces, the last one first */
};

struct trail_answer {
    uint32_t n;             /* ways that fit, at most TRAIL_WAYS_MAX */
    bool gave_up;           /* there may be more */
    struct trail_way first; /* the first way; `hear` gets all */
};

/* hear, if not NULL, gets each way. The caller releases the answer. */
void trail_find(const struct trail_graph *graph, const struct trail_asked *asked,
                void (*hear)(void *closure, const struct trail_way *way), void *closure,
                struct trail_answer *ret_answer);
/* What trail_likely goes by: how often control took each arc, or, as of profiles of basic blocks,
 * how often the piece ran that it comes from. */
enum trail_counts { TRAIL_BY_ARCS, TRAIL_BY_PIECES };
/* The most likely way by counts alone: at each merge, the most frequent predecessor. */
void trail_likely(const struct trail_graph *graph, const struct trail_asked *asked,
                  enum trail_counts by, struct trail_way *ret_way);
/* The most likely of the ways that fit the history. A way that ends before it has passed as many
 * branches as are known pays for each other direction what that is worth anywhere: else ends would
 * be likelier than turns of a loop. False: none was found. */
bool trail_best(const struct trail_graph *graph, const struct trail_asked *asked,
                enum trail_counts by, struct trail_way *ret_way);
/* Whether the other instruction of the pair lies on the way, or so far back that the way does not
 * reach it. */
bool trail_way_fits(const struct trail_graph *graph, const struct trail_asked *asked,
                    const struct trail_way *way);
void trail_way_release(struct trail_way *way);
/* Cuts the way where the function that it ends in was entered. */
void trail_way_inside(const struct trail_graph *graph, struct trail_way *way);

/* Whether there is an arc between these pieces. */
bool trail_arc_is(const struct trail_graph *graph, uint32_t from, uint32_t to);
/* The piece with this instruction, or UINT32_MAX; pieces are sorted by start and disjoint. */
uint32_t trail_piece_find(const struct trail_graph *graph, struct svma at);
