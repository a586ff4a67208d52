/* The unit that describes a superblock to the tool (struct wire_superblock). */
#pragma once

#include "walk/base/unit_log.h"
#include "walk/emit/payload.h"
#include "walk/emit/shape.h"

/* Writes the unit: `id` has its exits and its counter. `payload`: what its windows record besides
 * exits, or NULL. False: no room. */
bool unit_superblock(struct unit_log *log, const struct wire_superblock *id,
                     const struct shape *shape, const struct payload *payload);
