/* The tables of a store, by versions. A change is one more migration at the end of the list; those
 * that were released never change. */
#pragma once

#include "store/sql/sql.h"

/* Makes the tables, or brings those of an older gait up to date. */
bool schema_make(struct sql *sql, struct err *err);
/* Refuses a database without our tables, or with those of another version. */
bool schema_check(struct sql *sql, struct err *err);
