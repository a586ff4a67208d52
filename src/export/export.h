/* Profiles in the formats of other tools. One file a format, and one line in formats.def.
 *
 * A format's function gets what is to be written already set against its binaries and weighed, and
 * writes all of it. Of formats that show where a run spent what it did, the sum of the weights
 * written is tree->total; those for compilers and linkers get counts of the code of one module. */
#pragma once

#include "export/code.h"
#include "export/named_places.h"
#include "export/tree.h"

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
};

struct export_job {
    const struct profile *profile;
    struct scene *scene;
    const struct export_options *options;
    struct tree tree;           /* EXPORT_TREE */
    struct named_places places; /* likewise */
    struct code_counts code;    /* EXPORT_CODE */
};

/* EXPORT_OBJECTS: many files, of each object of the program its own (export/gcda/gcda.h); nothing
 * is written to a stream. */
/* EXPORT_STACKS: a tree, too, of calling contexts if an exact profile has them. */
enum export_source { EXPORT_TREE, EXPORT_STACKS, EXPORT_CODE, EXPORT_OBJECTS };

struct exporter {
    const char *name;   /* as in `gait export --format NAME` */
    const char *what;   /* in a few words */
    const char *ending; /* what files of it are usually called: ".json" */
    bool binary;        /* not for terminals */
    enum export_source source;
    /* False: the profile or its binaries lack what the format needs, and nothing was written.
     * Whether writing worked is seen by whoever opened the stream. */
    bool (*write)(FILE *to, struct export_job *job, struct err *err);
};

#define FORMAT(ident, name, what, ending, binary, source)                                          \
    bool ident##_write(FILE *to, struct export_job *job, struct err *err);
#define FORMAT_FILES(name, what, ending)
#include "export/formats.def"
#undef FORMAT
#undef FORMAT_FILES

/* In the order in which they are listed. */
extern const struct exporter exporters[];
extern const size_t exporters_n;
/* NULL: there is none of that name. */
const struct exporter *exporter_find(const char *name);

/* The counts that formats for compilers and linkers are made from, as the options want them. A
 * plain profile has none unless they are to be inferred. */
bool export_counts(struct code_counts *counts, struct scene *scene, const struct profile *profile,
                   const struct export_options *options, struct err *err);
bool export_profile(FILE *to, const struct exporter *exporter, const struct profile *profile,
                    const struct export_options *options, struct err *err);
