/* Functions that call each other: a function is entered as often as it is called.
 *
 * Each function is a problem of its own (infer.h). Callers are solved first: the inferred counts
 * of their calling blocks become firm entries of their callees. So a count that is known at one
 * end of a call, because a process has one main or because a loop was seen, is known at the other
 * end, at any depth.
 *
 * Functions in a cycle of calls are solved in the order in which they stand. Calls that lead back
 * count as they were seen. */
#pragma once

#include "infer/infer.h"

#define INFER_ELSEWHERE UINT32_MAX

/* One way from a block into another function. */
struct infer_call {
    uint32_t caller, callee; /* functions; caller: INFER_ELSEWHERE if nothing is known of it */
    uint32_t block;          /* of the caller */
    bool jumps; /* goes there as often as the block is left, and not as often as it runs */
    /* Of all that its place was seen to call, so many went this way; a direct call has 1 of 1. From
     * elsewhere: how many came. */
    uint64_t seen, of;
    uint64_t inferred; /* those to one function add up to its entries */
    uint64_t at; /* the instruction, and below its kind: for the caller of this interface only */
    uint8_t kind;
};

struct infer_program {
    struct infer_functions {
        VEC(struct infer_problem);
    } functions;
    struct infer_calls {
        VEC(struct infer_call); /* in any order; they are sorted by callee */
    } calls;
};

/* Fills in `inferred` everywhere. Entries that are firm stay, and those of functions that nobody
 * calls. */
void infer_program_solve(struct infer_program *program, enum infer_method method);
void infer_program_release(struct infer_program *program);
