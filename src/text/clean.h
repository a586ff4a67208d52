/* Text from files, made safe to show: control characters never reach the terminal. */
#pragma once

#include <stdbool.h>

struct arena;

/* The same pointer if there is nothing to clean; else a copy with '?' in its places. */
const char *text_clean(struct arena *arena, const char *text);
