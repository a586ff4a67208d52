/* What functions took, by hours and days: rows that answer without reading profiles. */
#pragma once

#include "store/sums.h"

/* Replaces the rows of a sum. Those of hours that became a day go, too. */
bool functions_store(struct store *store, const struct sum_key *key, const struct profile *sum,
                     struct err *err);
