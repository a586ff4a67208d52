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
/* What a file would have to tell in order to tell as much. */
struct kept_knowledge {
    bool names;   /* of functions that are not exported, too */
    bool symbols; /* these are in the file itself, not in a debug file */
    bool lines;   /* of some functions at least */
};
/* Nothing is known if nothing was kept. */
struct kept_knowledge kept_image_knows(const struct profile *profile, uint32_t module);
/* own: with functions by the symbols of the file alone, and without lines. Parts that make no sense
 * are left out. `file`: the build that ran, if it is here but tells less: code that was not kept
 * comes from it; NULL: it is not here. */
bool kept_image_open(struct image *image, const struct profile *profile, uint32_t module, bool own,
                     const struct image *file, struct err *err);
