/* What an executable asks of the dynamic loader. */
#pragma once

#include <stdbool.h>

struct image;

/* Whether a loader starts it at all; static programs have none, even if they relocate themselves. */
bool dynamic_loaded(const struct image *image);

/* The first library it needs whose name begins so, or NULL. In the image's memory. */
const char *dynamic_needs(const struct image *image, const char *prefix);
