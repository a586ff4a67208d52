/* Finds the functions that a user means by a name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The pattern is one of these, or a glob for one: the linkage name, with or without a compiler's
 * suffix (".constprop.0"); the readable name; the readable name without parameters, or also without
 * return type and template arguments. */
bool name_matches(const char *pattern, const char *linkage, const char *readable);

/* Edit distance between the typed name and a name, without the edits that only complete it. For
 * "did you mean"; 0 is equal. */
size_t name_distance(const char *typed, const char *name);
