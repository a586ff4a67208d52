/* gait export --format gcda: what is said about the files that were written. */
#pragma once

#include "export/gcda/gcda.h"

/* The exit status. */
int export_gcda(const struct profile *profile, const char *input,
                const struct gcda_options *options, bool quiet);
