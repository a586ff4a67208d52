/* Which ways control can have come to an instruction: those that fit the directions of the last
 * conditional branches, as a sampled instruction's record has them, and perhaps another instruction
 * that is known to have run shortly before.
 *
 * Code is pieces: straight runs in which nothing calls but the last instruction. Arcs lead
 * backwards. From behind a call the way leads through the callee, from its returns to its entry,
 * and then to the call itself; at the entry of the function that one began in, it leads to the
 * callers, or ends there if only one function is asked about (of callees that were gone through,
 * all is asked). Where code is not known (another module, an indirect call that nobody saw) a way
 * ends, cut.
 *
 * A way ends when it has passed as many conditional branches as are known. There can be very many:
 * the search gives up at TRAIL_WAYS_MAX, or after TRAIL_STEPS_MAX pieces, and says so. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

enum trail_how {
    TRAIL_ALONG,    /* no conditional branch */
    TRAIL_TAKEN,    /* one that was taken */
    TRAIL_PASSED,   /* one that was not */
    TRAIL_RETURNED, /* from a return of the callee */
    TRAIL_CALLED,   /* from the call of a caller, or its jump, to an entry */
};

struct trail_arc {
    uint32_t from;  /* piece */
    uint32_t site;  /* of TRAIL_RETURNED: the piece that ends in the call */
    uint8_t how;    /* enum trail_how */
    bool crosses;   /* into another function by a jump: beyond the one that is asked about */
    uint64_t count; /* how often, for trail_likely; 0: not known */
};

struct trail_piece {
    struct svma start, last; /* instructions */
    uint32_t instructions;
    uint32_t first_arc; /* its own end where the next piece's begin */
    bool entry;         /* of a function */
    bool cut;           /* control may come here from where nothing is known */
};

/* One piece more than there are, for the end of the last one's arcs. */
struct trail_graph {
    struct trail_pieces {
        VEC(struct trail_piece);
    } pieces;
    struct trail_arcs {
        VEC(struct trail_arc);
    } arcs;
};

enum { TRAIL_WAYS_MAX = 64, TRAIL_STEPS_MAX = 20000, TRAIL_LENGTH_MAX = 400, TRAIL_CALLS_MAX = 64 };

struct trail_asked {
    uint32_t piece;
    struct svma at;   /* the instruction, in the piece */
    uint32_t before;  /* instructions of the piece before it */
    uint64_t history; /* the last branch in bit 0; 1: taken */
    uint32_t bits;    /* known: at most 64 */
    bool across;      /* callers too */
    bool seen_only;   /* not along arcs whose count is 0 */
    bool has_pair;
    struct svma pair; /* ran so many instructions before, if it did: ways without it are none */
    uint32_t distance;
};

struct trail_way {
    VEC(uint32_t); /* pieces, the last one first */
};

struct trail_answer {
    uint32_t n;             /* ways that fit, at most TRAIL_WAYS_MAX */
    bool gave_up;           /* there may be more */
    struct trail_way first; /* of them; the rest is told by `hear` */
};

/* hear: NULL, or who gets each way. The caller releases the answer. */
void trail_find(const struct trail_graph *graph, const struct trail_asked *asked,
                void (*hear)(void *closure, const struct trail_way *way), void *closure,
                struct trail_answer *ret_answer);
/* The way that counts make likely, whatever the history: at each merge whence control came most
 * often. */
void trail_likely(const struct trail_graph *graph, const struct trail_asked *asked,
                  struct trail_way *ret_way);
void trail_way_release(struct trail_way *way);

/* Whether an arc leads there from that piece. */
bool trail_arc_is(const struct trail_graph *graph, uint32_t from, uint32_t to);
/* A piece of the graph with that instruction, or UINT32_MAX; pieces are by start and do not
 * overlap. */
uint32_t trail_piece_find(const struct trail_graph *graph, struct svma at);
