/* A store: recordings of many machines in one database. docs/FLEET.md says what is in its tables.
 *
 * What a store gives for a question is what profile_merge of the same files gives. */
#pragma once

#include "store/place.h"
#include "store/sql/sql.h"

struct store {
    struct arena arena;
    struct store_place place;
    struct sql *sql;
};

/* Opens the store that the text names; refuses one of a newer gait. SQL_MAKE also makes its tables,
 * or brings those of an older gait up to date. */
bool store_open(const char *text, enum sql_use use, struct store *ret_store, struct err *err);
void store_close(struct store *store);
/* What its clock says, in ns since 1970: the server's, if there is one. */
bool store_now(struct store *store, uint64_t *ret_ns, struct err *err);
