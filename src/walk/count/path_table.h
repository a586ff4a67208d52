/* The table of a thread's paths that are counted by their number. */
#pragma once

#include "walk/base/context.h"
#include "wire/plan.h"

/* A path (struct wire_path) is looked for first in the quarter of its function, at the sum of the
 * lowest two 16-bit parts of its number, the salt and the node, modulo PATH_HOMES: what code
 * computes quickly. Functions with a hundred thousand paths crowd there; a path that finds no room
 * near by goes behind the quarters, where all bits of the number count. */
enum { PATH_HOMES = 1 << 16, PATH_QUARTERS = 4, PATHS_BEHIND = 1 << 20 };

static inline uint64_t path_slots_at(uint32_t function)
{
    return PATHS_AT + (uint64_t)(function % PATH_QUARTERS) * PATH_HOMES * sizeof(struct wire_path);
}

static inline uint32_t path_salt(uint32_t function)
{
    return function / PATH_QUARTERS * 0x9e37u % PATH_HOMES;
}

/* Adds it to a bank's table; without room its count is lost. */
void path_count(struct context *context, uint8_t *bank, const struct wire_path *more);
/* The entry, or NULL. */
const struct wire_path *path_find(uint8_t *bank, const struct wire_path *key);
/* Adds paths of a thread that ends, those in these bytes of its table, to another bank's. */
void paths_merge(struct context *context, uint8_t *bank, uint64_t from, uint64_t to);
