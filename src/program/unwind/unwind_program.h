/* The program of one entry: instructions that say how its rule changes along the code. */
#pragma once

#include "program/unwind/unwind_entries.h"
#include "program/unwind/unwind_rule.h"

/* Gets each stretch's start and rule, in rising order; the first starts with the entry. Nothing
 * keeps a broken program from going past the entry's end. No rule: what follows could not be read.
 */
typedef void unwind_emit(void *closure, struct svma start, const struct unwind_rule *rule);

/* False: an instruction makes no sense. */
bool unwind_program_run(const struct unwind_entry *entry, const struct unwind_cie *cie,
                        struct unwind_expressions *expressions, unwind_emit *emit, void *closure);
