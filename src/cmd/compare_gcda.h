/* gait compare of two .gcda files, on gcc's own graphs. */
#pragma once

#include "cmd/options/view_options.h"

/* Whether the path is a .gcda file, by content, or a folder. */
bool path_has_gcda(const char *path);
/* The exit status. */
int compare_gcda(const struct view_options *view, const char *truth, const char *other);
