/* Which functions of a binary are which in another build of it.
 *
 * By their names as linked; then without what compilers put behind names, so that foo.constprop.0
 * finds foo.isra.0 or foo. Of several of one name, which only functions of their files can have,
 * the first are each other's, and so on. Then those whose instructions are in both builds once and
 * no more, whatever they are called: functions that were renamed, and those of stripped files. What
 * calls tell is for others to add (carry_functions_join): what two partners call at the same place
 * are partners, too. */
#pragma once

#include "program/symbols/symbols.h"

struct binary;

struct carry_functions {
    function_id *new_of; /* for each of the old build; FUNCTION_NONE: it has no partner */
    function_id *old_of; /* for each of the new one */
};

void carry_functions_match(struct carry_functions *functions, const struct binary *old,
                           const struct binary *new);
/* Unless one of them has a partner already. */
void carry_functions_join(struct carry_functions *functions, function_id old, function_id new);
void carry_functions_release(struct carry_functions *functions);
