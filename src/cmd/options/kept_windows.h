/* Views of windows that a recording kept in the order in which they ran. */
#pragma once

#include <stdbool.h>

struct profile;

bool kept_windows_has(const struct profile *profile);
/* Why there are none. */
const char *kept_windows_why(const struct profile *profile);
