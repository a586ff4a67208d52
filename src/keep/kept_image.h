/* An image made of what a profile kept of a module. It answers like the file did, for code that
 * was kept; other code reads as zeros, and belongs to no function. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct image;
struct profile;

/* Whether the profile kept anything of the module. */
bool kept_image_there(const struct profile *profile, uint32_t module);
/* own: with functions by the symbols of the file alone, and without lines. Parts that make no sense
 * are left out. */
bool kept_image_open(struct image *image, const struct profile *profile, uint32_t module, bool own,
                     struct err *err);
