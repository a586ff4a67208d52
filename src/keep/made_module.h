/* A module that has no file, as a profile keeps it: code that was made at run time, or Python. */
#pragma once

#include "base/bytes.h"
#include "keep/kept_module.h"
#include "profile/kept.h"

#include <stdint.h>

struct profile;

/* With room for so many program headers, which the caller adds. */
void made_module_init(struct kept_module *module, uint16_t programs);
/* Adds the part to the profile, unless it is too large. */
void made_part_add(struct profile *profile, uint32_t module, enum kept_kind kind, uint64_t at,
                   const struct bytes *bytes);
