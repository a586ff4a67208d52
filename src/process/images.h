/* Files of modules that a process has mapped, each opened when it is first asked for, and kept: for
 * those who read code while a recording runs. */
#pragma once

#include "base/vec.h"
#include "process/mappings.h"

#include <stdint.h>

struct image;
struct images_entry;

struct images {
    VEC(struct images_entry *);
};

void images_release(struct images *images);
/* NULL: it cannot be read. Holds until the images are released. */
const struct image *images_find(struct images *images, const struct mappings *mappings,
                                uint32_t module);
