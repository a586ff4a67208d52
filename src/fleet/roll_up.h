/* Rolls a store up: recordings into sums by hours, hours into days (store/sums.h), and what each
 * function took in each of them. */
#pragma once

#include "store/store.h"

struct roll_up {
    int64_t hours_before, days_before; /* hours since 1970: what began before is rolled up */
    uint64_t recordings, sums;         /* rolled up, and made of them */
};

/* What is to be rolled up: hours that were over so many seconds ago (0: all, also of the hour that
 * is not over), and days two days ago. */
struct roll_up roll_up_after(uint64_t now_ns, double seconds);
bool roll_up(struct store *store, struct roll_up *roll, struct err *err);
