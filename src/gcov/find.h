/* Finds files by extension. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>

struct err;

struct file_list {
    VEC(const char *); /* in order */
};

/* All files below a folder with this extension, or the file itself. Links to folders are not
 * followed: they may form cycles. Fails if nothing has that name. */
bool file_list_find(struct file_list *paths, struct arena *arena, const char *where,
                    const char *ending, struct err *err);
bool path_ends_in(const char *path, const char *ending);
/* Replaces the extension, which the path must have. */
const char *path_with(struct arena *arena, const char *path, const char *ending,
                      const char *instead);
