/* Cases of switches: what a jump table of both builds has in the same entry.
 *
 * The handlers of a large switch look much alike, and all are reached from one place; the number of
 * the case tells them apart. Tables are each other's if they are the only ones of their length in
 * the function; one that got a case more is left to what else is known. */
#pragma once

#include "carry/blocks.h"

struct carry_case {
    block_id old, new;
};

struct carry_cases {
    VEC(struct carry_case); /* by table, then entry; a pair may come several times */
};

void carry_cases_find(struct carry_cases *cases, const struct carry_side *old,
                      const struct carry_side *new);
