/* Pairs the functions of two builds.
 *
 * First by linkage name, then without compiler suffixes, so that foo.constprop.0 finds foo.isra.0
 * or foo. Of several functions with one name (local to their files), the first are a pair, and so
 * on. Then by content: functions whose instructions are unique in both builds, whatever their
 * names; they were renamed, or the file is stripped. Callers add what calls show
 * (carry_functions_join): two partners call partners at the same place. */
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
