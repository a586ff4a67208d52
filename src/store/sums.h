/* Sums over the machines: the profiles of a service and build, by hours and days.
 *
 * A recording whose hour is over moves from its own row into the sum of its hour: its body goes,
 * its digest stays, so that it is not stored again. Hours whose day is over move into a day. So the
 * recordings of a month on a thousand machines are read as some tens of profiles. */
#pragma once

#include "profile/profile.h"
#include "store/store.h"

#define HOUR_NS 3600000000000u
enum { DAY_HOURS = 24 };

struct sum_key {
    const char *service, *build, *kind;
    int64_t hours, hour; /* of how many hours; the first, since 1970 */
};

struct sum_keys {
    VEC(struct sum_key);
};

/* The hours that have recordings not in a sum yet, and began before that hour. */
bool sums_hours(struct store *store, struct arena *arena, int64_t before, struct sum_keys *ret_keys,
                struct err *err);
/* The days of which there are sums of hours, and that were over at that hour. */
bool sums_days(struct store *store, struct arena *arena, int64_t before, struct sum_keys *ret_keys,
               struct err *err);

/* Within a transaction (sums_begin): adds to the sum of a key what belongs there. *ret_sum is as
 * views get it, names and all; the caller releases it. *ret_n is what was added. */
bool sums_begin(struct store *store, struct err *err);
bool store_sum(struct store *store, const struct sum_key *key, struct profile *ret_sum,
               uint64_t *ret_n, struct err *err);

struct sql_value *sum_key_values(const struct sum_key *key, struct sql_value to[5]);
