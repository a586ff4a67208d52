/* Text from files that is shown to people: what could steer a terminal is not sent to it. */
#pragma once

#include <stdbool.h>

struct arena;

/* The same pointer if there is nothing to clean; else a copy with '?' in its places. */
const char *text_clean(struct arena *arena, const char *text);
