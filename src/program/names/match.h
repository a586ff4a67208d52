/* Which functions a user means by a name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The pattern is the name as linked, also without what a compiler put behind it (".constprop.0"),
 * the readable name, the readable name without its parameters or without what else surrounds it (a
 * return type, template arguments), or a glob for one of these. */
bool name_matches(const char *pattern, const char *linkage, const char *readable);

/* How far a name is from the one that was typed: edits that make the one the other, less those that
 * only complete it. For "did you mean"; 0 is equal. */
size_t name_distance(const char *typed, const char *name);
