/* Names of unknown values: 1 to 16 are the registers at the function's entry, then a few for each
 * instruction. Names above are for joins of paths. */
#pragma once

#include "program/cfg/tracker.h"

#include <stdbool.h>
#include <stdint.h>

enum name_kind { NAME_LOADED, NAME_RESULT, NAME_MERGED, NAME_EXTRA, NAMES_EACH };
#define NAME_FIRST 17u

static inline value_name name_of(uint32_t instruction, unsigned kind)
{
    return NAME_FIRST + instruction * NAMES_EACH + kind;
}

/* The instruction that gives this name. False: no instruction does. */
static inline bool name_instruction(const struct tracker *tracker, value_name name,
                                    uint32_t *ret_instruction)
{
    if (name < NAME_FIRST || (name - NAME_FIRST) / NAMES_EACH >= tracker->n_operations)
        return false;
    *ret_instruction = (name - NAME_FIRST) / NAMES_EACH;
    return true;
}

/* A new unknown of this instruction. */
static inline struct value value_fresh(struct state *state, uint32_t instruction, unsigned kind,
                                       unsigned bits)
{
    value_name name = name_of(instruction, kind);
    state_forget(state, name);
    return value_named(name, bits);
}
