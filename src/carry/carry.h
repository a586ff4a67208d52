/* Turns a profile of one build into a profile of another.
 *
 * A profile holds addresses of the binary that ran. After a rebuild, from the same source or a
 * later one, carry finds its functions, blocks and instructions in the new binary (functions.h,
 * blocks.h, align.h). Counts move with their blocks, and flow fills in new code between them
 * (infer/). The result is an ordinary profile of the new build, with the fact "carried".
 *
 * Both binaries must exist: addresses alone do not say what they were. */
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
    /* It had some of the module: values, paths, windows or records for a model. They belong to the
     * old code, and are left out. */
    bool no_values, no_paths, no_model;
    bool same; /* it is the build that ran, elsewhere: nothing had to be carried over */
};

/* The profile is the caller's to release. */
bool carry_profile(struct profile *ret_profile, const struct profile *from,
                   const struct carry_options *options, struct carry_report *report,
                   struct err *err);
