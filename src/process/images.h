/* Files of the modules that a process has mapped, for those who read code while a recording runs.
 * Each is opened on the first request and kept. */
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
/* NULL: the file cannot be read. Valid until the images are released. */
const struct image *images_find(struct images *images, const struct mappings *mappings,
                                uint32_t module);
