/* What an executable asks of the dynamic loader. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;

/* Whether the dynamic loader starts it. Static programs have none, even those that relocate
 * themselves. */
bool dynamic_loaded(const struct image *image);

/* The value of the first entry with this tag (DT_...) in the dynamic section; false: none. */
bool dynamic_value(const struct image *image, int64_t tag, uint64_t *ret_value);
