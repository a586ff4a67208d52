/* gait export --format gcda: writes the files and reports them. */
#pragma once

#include "export/gcda/gcda.h"

/* The exit status. */
int export_gcda(const struct profile *profile, const char *input,
                const struct gcda_options *options, bool quiet);
