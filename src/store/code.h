/* What profiles keep of the files of their modules, stored once by build-id.
 *
 * In the body of a recording a stub stands for such a part, and says how long it was. The bytes are
 * in packs of gait_code. A sender packs what no pack has yet; two that send at once may both send a
 * part. */
#pragma once

#include "profile/profile.h"
#include "store/sql/sql.h"

/* Which parts the store has, as far as it was asked. */
struct code_known {
    struct map modules; /* by build-id; index i owns at[i] */
    VEC(struct map);    /* kind, address and length of parts */
};

void code_known_init(struct code_known *known);
void code_known_release(struct code_known *known);

/* In a transaction, to its end: packs that are there stay. Whoever forgets packs holds them alone,
 * and then sees every recording that was sent with their help. SQLite has one writer anyway. */
bool code_hold(struct sql *sql, bool alone, struct err *err);

/* Sends the parts that the store lacks, and puts stubs in their places. */
bool code_send(struct sql *sql, struct code_known *known, struct profile *profile, struct err *err);
/* Puts parts in the places of stubs; those that the store lost are removed and counted. */
bool code_fill(struct sql *sql, struct profile *profile, uint64_t *ret_lost, struct err *err);
