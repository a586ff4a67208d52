/* What tells a build from another where neither has a build-id: a checksum of its code. */
#pragma once

#include <stdint.h>

struct image;

uint64_t stamp_of(const struct image *image);
