/* Files of one ending below a folder. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>

struct err;

struct file_list {
    VEC(const char *); /* in order */
};

/* Of a folder all files below it with the ending, of a file itself. Links to folders are not
 * followed: they may lead round in circles. Fails if there is nothing of that name. */
bool file_list_find(struct file_list *paths, struct arena *arena, const char *where,
                    const char *ending, struct err *err);
bool path_ends_in(const char *path, const char *ending);
/* The path with another ending, which it must have one of. */
const char *path_with(struct arena *arena, const char *path, const char *ending,
                      const char *instead);
