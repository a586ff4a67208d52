/* The changes that `gait whatif` tries, and what they are called. */
#pragma once

#include <stdbool.h>

enum whatif_kind {
    WHATIF_BRANCH,
    WHATIF_LOAD,
    WHATIF_FORWARD,
    WHATIF_DIVISION,
    WHATIF_INLINE,
    WHATIF_UNROLL,
    WHATIF_TRIPS,
    WHATIF_WIDER,
    WHATIF_LAYOUT,
    WHATIF_KINDS
};

/* The word of options and JSON. */
const char *whatif_kind_name(enum whatif_kind kind);
/* "this branch were always predicted": what changes, for readers. */
const char *whatif_kind_text(enum whatif_kind kind);
bool whatif_kind_parse(const char *name, enum whatif_kind *ret_kind);
/* All words, "branch, load, ..." for messages. */
extern const char whatif_kind_words[];
