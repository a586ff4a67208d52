/* What an executable asks of the dynamic loader. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct image;

/* Whether a loader starts it at all; static programs have none, even if they relocate themselves.
 */
bool dynamic_loaded(const struct image *image);

/* The first library it needs whose name begins so, or NULL. In the image's memory. */
const char *dynamic_needs(const struct image *image, const char *prefix);
/* The value of the first entry of its dynamic section with that tag (DT_...); false: there is none.
 */
bool dynamic_value(const struct image *image, int64_t tag, uint64_t *ret_value);
