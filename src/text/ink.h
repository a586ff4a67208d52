/* Colours of text. Without colours every function returns "". */
#pragma once

#include <stdbool.h>

enum ink_tone { INK_PLAIN, INK_HEAD, INK_HOT, INK_WARM, INK_COLD, INK_NAME, INK_SOURCE };

struct ink {
    bool on;
};

/* What to write before and behind text of that tone. */
const char *ink_begin(const struct ink *ink, enum ink_tone tone);
const char *ink_end(const struct ink *ink, enum ink_tone tone);

/* The tone of a share of all. */
enum ink_tone ink_of_share(double share);
