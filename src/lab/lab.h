/* All tables of `gait lab`. */
#pragma once

#include "lab/table/table.h"

/* NULL last. */
extern const struct lab_table *const lab_tables[];
/* NULL: there is none of that name. */
const struct lab_table *lab_table_find(const char *name);
