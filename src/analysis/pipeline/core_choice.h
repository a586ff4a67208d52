/* Chooses the core model for the windows of a profile: the requested one, the one of a modelled
 * trace, or the one closest to the processor that recorded. */
#pragma once

#include <stddef.h>

struct profile;

enum { CORE_WHY_BYTES = 192 };

/* The name for model_open; `asked` may be NULL. `ret_why` gets a sentence on why it is this one, or
 * "" if it was asked for by its name. */
const char *core_choose(const struct profile *profile, const char *asked,
                        char ret_why[CORE_WHY_BYTES]);
