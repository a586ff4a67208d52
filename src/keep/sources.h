/* Texts of source files that a profile takes along. */
#pragma once

#include "base/memory.h"
#include "profile/kept.h"

#include <stddef.h>

struct profile;

/* Adds the texts of all files that lines of kept functions name, as far as they are there. Returns
 * how many are not, or are too long. */
size_t sources_keep(struct kept_parts *kept, struct arena *arena);
/* The text of a file; NULL: it was not kept. */
const char *source_kept(const struct profile *profile, const char *path, size_t *ret_n);
