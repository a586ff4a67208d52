/* What a format gets to write: the profile set against its binaries, and weighed. */
#pragma once

#include "export/job/code.h"
#include "export/job/named_places.h"
#include "export/job/tree.h"

#include <stdbool.h>
#include <stdio.h>

/* What a format has no words for: not written, but told. */
struct export_losses {
    uint64_t
        nameless; /* executions of branches, neither end of which is in a function with a name */
};

struct export_options {
    enum weight weight;
    struct tree_filter filter;
    bool inlined; /* show inlined functions as functions */
    /* Counts of sampled profiles are made consistent unless they are wanted raw; those of others if
     * asked for. */
    bool raw, inferred;
    enum infer_method method;
    struct export_losses *losses; /* added to; NULL: nobody asks */
    uint32_t gcc_version;         /* of the compiler that is to read it: 5 or more */
    uint32_t window;              /* of EXPORT_WINDOWS: only this one, from 1; 0: all */
};

struct export_job {
    const struct profile *profile;
    struct scene *scene;
    const struct export_options *options;
    struct tree tree;           /* EXPORT_TREE */
    struct named_places places; /* likewise */
    struct code_counts code;    /* EXPORT_CODE */
};

/* One function a format. It writes everything: formats that show where a run spent what it did
 * write weights that add up to tree.total; formats for compilers and linkers write counts of one
 * module. False: the profile or its binaries lack what the format needs, and nothing was written.
 */
#define FORMAT(ident, name, what, ending, binary, source)                                          \
    bool ident##_write(FILE *to, struct export_job *job, struct err *err);
#define FORMAT_FILES(name, what, ending)
#define FORMAT_PAGE(name, what, ending)
#include "export/job/formats.def"
#undef FORMAT
#undef FORMAT_FILES
#undef FORMAT_PAGE

/* The counts that formats for compilers and linkers are made from, as the options want them. A
 * plain profile has none unless they are to be inferred. */
bool export_counts(struct code_counts *counts, struct scene *scene, const struct profile *profile,
                   const struct export_options *options, struct err *err);
