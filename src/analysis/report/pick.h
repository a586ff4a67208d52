/* Finds the row of a report by function that a user means: by name, readable name, glob or
 * MODULE+0xADDRESS. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

struct err;
struct report;
struct report_row;

struct picked {
    VEC(const struct report_row *);
};

/* NULL if there is none, or if several could be meant: the error lists those, or the nearest names.
 */
const struct report_row *pick_function(const struct report *report, const char *typed,
                                       struct err *err);
/* All that a glob means, the hottest first, at most `limit`; of all else the one. */
bool pick_functions(struct picked *picked, const struct report *report, const char *typed,
                    size_t limit, struct err *err);
