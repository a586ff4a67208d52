/* Profiles in the formats of other tools: the table of formats. A format is one file in viewers or
 * compilers, and one line in job/formats.def. */
#pragma once

#include "export/job/job.h"

enum export_source {
    EXPORT_TREE,
    EXPORT_STACKS, /* a tree; of calling contexts, if an exact profile has them */
    EXPORT_CODE,
    EXPORT_WINDOWS, /* single windows, which the job does not prepare */
    EXPORT_OBJECTS, /* a file for each object (export/gcda/gcda.h), none to a stream */
    EXPORT_PAGE,    /* made of what commands print (cmd/view/html.h) */
};

struct exporter {
    const char *name;   /* as in `gait export --format NAME` */
    const char *what;   /* in a few words */
    const char *ending; /* what files of it are usually called: ".json" */
    bool binary;        /* not for terminals */
    enum export_source source;
    /* Whoever opened the stream sees whether writing worked. NULL: EXPORT_OBJECTS, EXPORT_PAGE. */
    bool (*write)(FILE *to, struct export_job *job, struct err *err);
};

/* In the order in which they are listed. */
extern const struct exporter exporters[];
extern const size_t exporters_n;
/* NULL: there is none of that name. */
const struct exporter *exporter_find(const char *name);

bool export_profile(FILE *to, const struct exporter *exporter, const struct profile *profile,
                    const struct export_options *options, struct err *err);
