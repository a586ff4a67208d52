/* Names of code that no file will explain later: what a JIT made, the kernel of that day. They are
 * looked up while the recording runs, and kept only for places that were seen. */
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
    VEC(struct name); /* by module, start; no such two twice */
};
/* Which of two names of one start counts: the later one in a recording; between recordings the one
 * that covers more bytes, or else comes later in the alphabet, so that their order cannot show. */
enum names_rule { NAMES_LATER, NAMES_LARGER };

/* The last name said of a start counts: a JIT may put new code in the place of old. The text is
 * copied into the arena. */
void names_add(struct names *names, struct arena *arena, uint32_t module, uint64_t start,
               uint64_t bytes, const char *text);
/* Makes names of rows that are in any order; the later of two counts. */
void names_sort(struct names *names);
void names_merge(struct names *into, struct arena *arena, const struct names *other,
                 enum names_rule rule);
/* NULL: none covers the address. */
const struct name *names_find(const struct names *names, uint32_t module, uint64_t address);
