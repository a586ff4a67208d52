/* Functions that run once because the system or the loader calls them: the entry point, main,
 * constructors and destructors. */
#pragma once

#include "program/symbols/symbols.h"

struct starts {
    VEC(function_id); /* in ascending order, none twice */
};

void starts_find(struct starts *starts, const struct image *image, const struct symbols *symbols);
void starts_release(struct starts *starts);
