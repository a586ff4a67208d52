/* Profiles in the formats of other tools. One file a format, and one line in formats.def.
 *
 * A format's function gets what is to be written already set against its binaries and weighed, and
 * writes all of it: the sum of the weights written is tree->total. */
#pragma once

#include "export/places.h"
#include "export/tree.h"

#include <stdbool.h>
#include <stdio.h>

struct export_options {
    enum weight weight;
    struct tree_filter filter;
    bool inlined; /* show inlined functions as functions */
};

struct export_job {
    const struct profile *profile;
    struct scene *scene;
    const struct export_options *options;
    struct tree tree;
    struct places places;
};

enum export_modes {
    EXPORT_EXACT = 1 << PROFILE_EXACT,
    EXPORT_SAMPLED = 1 << PROFILE_SAMPLED,
    EXPORT_PLAIN = 1 << PROFILE_PLAIN,
    EXPORT_ALL = EXPORT_EXACT | EXPORT_SAMPLED | EXPORT_PLAIN,
};

struct exporter {
    const char *name;   /* as in `gait export --format NAME` */
    const char *what;   /* in a few words */
    const char *ending; /* what files of it are usually called: ".json" */
    bool binary;        /* not for terminals */
    unsigned modes;     /* enum export_modes: profiles that it can be made from */
    /* Whether writing worked is seen by whoever opened the stream. */
    void (*write)(FILE *to, struct export_job *job);
};

#define FORMAT(name, what, ending, binary, modes)                                                  \
    void name##_write(FILE *to, struct export_job *job);
#include "export/formats.def"
#undef FORMAT

/* In the order in which they are listed. */
extern const struct exporter exporters[];
extern const size_t exporters_n;
/* NULL: there is none of that name. */
const struct exporter *exporter_find(const char *name);

bool export_profile(FILE *to, const struct exporter *exporter, const struct profile *profile,
                    const struct export_options *options, struct err *err);
