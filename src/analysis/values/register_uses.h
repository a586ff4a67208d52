/* Which registers code reads before it writes them: the arguments of a function, from its entry on,
 * and whether its result is used, from where it returns to.
 *
 * Both ways of conditional branches are followed, and jumps out of the function; indirect jumps end
 * the search, and so does a limit of instructions. A call reads what the called function reads, two
 * calls deep, and leaves no register of an argument as it was. */
#pragma once

#include "analysis/values/value_type.h"
#include "wire/address.h"

struct image;

enum { USED_REGISTERS = 32 }; /* by PAYLOAD_ARGUMENT's details */

struct register_uses {
    struct value_form forms[USED_REGISTERS]; /* bytes 0: not read */
};

void register_uses_find(struct register_uses *uses, const struct image *image, struct svma from);
