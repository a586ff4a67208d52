/* Pairs cases of switches: the same entry of a jump table in both builds.
 *
 * The handlers of a large switch look alike and are all reached from one place; the number of the
 * case tells them apart. Two tables are a pair if each is the only one of its length in the
 * function. A table that gained a case is left to other methods. */
#pragma once

#include "carry/side.h"

struct carry_case {
    block_id old, new;
};

struct carry_cases {
    VEC(struct carry_case); /* by table, then entry; a pair may come several times */
};

void carry_cases_find(struct carry_cases *cases, const struct carry_side *old,
                      const struct carry_side *new);
