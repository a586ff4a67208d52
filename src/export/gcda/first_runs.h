/* The order in which functions of gcc's notes were first executed. */
#pragma once

#include "export/gcda/inline_chain.h"
#include "export/job/code.h"

#include <stdint.h>

struct inlined_run {
    uint32_t function, in; /* numbers of all objects' functions */
};

struct first_runs {
    uint32_t *at; /* of each function of all objects: its place from 1; 0: not known */
    struct inlined_runs {
        VEC(struct inlined_run);
    } inlined;
};

/* An instruction that ran; the chains are its. A function that is only ever inlined is reached
 * after what it was inlined into. */
void first_runs_see(struct first_runs *runs, const struct chains *chains, const uint32_t *first);

/* `first`: number of each object's first function, n: of all functions. */
void first_runs_find(struct first_runs *runs, const struct code_counts *code, struct chains *chains,
                     const uint32_t *first, size_t n);
void first_runs_release(struct first_runs *runs);
