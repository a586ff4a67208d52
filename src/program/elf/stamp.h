/* A checksum of the code. It identifies builds that have no build-id. */
#pragma once

#include <stdint.h>

struct image;

uint64_t stamp_of(const struct image *image);
