/* Names of code without a file: JIT code, and the running kernel. They are resolved during the
 * recording, for recorded places only. */
#pragma once

#include "base/memory.h"
#include "base/vec.h"

#include <stdint.h>

struct name {
    uint32_t module;       /* of the profile */
    uint64_t start, bytes; /* addresses of the module */
    const char *text;
};
struct names {
    VEC(struct name); /* by module, start; unique */
};
/* Which of two names with one start wins: in a recording the later; between recordings the one with
 * more bytes, or else the alphabetically later, so that the order of merging does not matter. */
enum names_rule { NAMES_LATER, NAMES_LARGER };

/* The last name of a start wins: a JIT may replace code. The text is copied into the arena. */
void names_add(struct names *names, struct arena *arena, uint32_t module, uint64_t start,
               uint64_t bytes, const char *text);
/* Sorts rows that are in any order; of two with one start the later wins. */
void names_sort(struct names *names);
void names_merge(struct names *into, struct arena *arena, const struct names *other,
                 enum names_rule rule);
/* NULL: no name covers the address. */
const struct name *names_find(const struct names *names, uint32_t module, uint64_t address);
