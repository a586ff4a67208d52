/* The program of one entry: instructions that change its rule along the code. */
#pragma once

#include "program/unwind/unwind_entries.h"
#include "program/unwind/unwind_rule.h"

/* Called with the start and rule of each stretch, in rising order, beginning with the entry's
 * start. A broken program may go past the entry's end. rule NULL: the rest is unreadable. */
typedef void unwind_emit(void *closure, struct svma start, const struct unwind_rule *rule);

/* False: an invalid instruction. */
bool unwind_program_run(const struct unwind_entry *entry, const struct unwind_cie *cie,
                        struct unwind_expressions *expressions, unwind_emit *emit, void *closure);
