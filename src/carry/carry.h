/* A profile of one build as a profile of another.
 *
 * What was recorded is about addresses of the binary that ran. When the program has been built
 * anew, from the same source or a later one, its functions, blocks and instructions are looked for
 * in the new binary (functions.h, blocks.h, align.h), counts go where their blocks went, and what
 * is new between them gets what flow must bring there (infer/). The result is a profile like any
 * other, of the new build: views and exports need not know. It has the fact "carried", with what
 * was kept.
 *
 * Both binaries must be there: addresses alone do not say what they were. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct profile;

struct carry_options {
    const char *binary;   /* the new build */
    const char *recorded; /* a copy of the one that ran; NULL: it still is where it was */
    const char *module;   /* path or name of the recorded module that it takes the place of; NULL:
                             that of the same name, or the program */
};

struct carry_report {
    char old_build[41], new_build[41];  /* build-ids; "none" */
    uint64_t functions, functions_kept; /* that ran */
    uint64_t blocks, blocks_kept;       /* likewise */
    double weight_kept; /* share of the executed instructions of the module, or of its time, that
                           has a place */
    bool same;          /* it is the build that ran, elsewhere: nothing had to be carried over */
};

/* The profile is the caller's to release. */
bool carry_profile(struct profile *ret_profile, const struct profile *from,
                   const struct carry_options *options, struct carry_report *report,
                   struct err *err);
