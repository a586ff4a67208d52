#include "fleet/roll_up.h"

#include "base/err.h"
#include "fleet/functions.h"
#include "store/sums.h"

/* One transaction: what is rolled up is never counted twice, nor missing. */
static bool key_roll(struct store *store, const struct sum_key *key, struct roll_up *roll,
                     struct err *err)
{
    struct err ignored;
    struct profile sum;
    uint64_t n = 0;
    bool ok = sums_begin(store, err);
    if (ok && store_sum(store, key, &sum, &n, err)) {
        ok = (!n || functions_store(store, key, &sum, err)) && sql_run(store->sql, "COMMIT", err);
        profile_release(&sum);
    } else {
        ok = false;
    }
    if (!ok) {
        sql_run(store->sql, "ROLLBACK", &ignored);
        return err_in(err, "%s, hour %lld", key->service, (long long)key->hour);
    }
    roll->recordings += key->hours == 1 ? n : 0;
    roll->sums += n > 0;
    return true;
}

static bool keys_roll(struct store *store, const struct sum_keys *keys, struct roll_up *roll,
                      struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < keys->n; i++)
        ok = key_roll(store, &keys->at[i], roll, err);
    return ok;
}

struct roll_up roll_up_after(uint64_t now_ns, double seconds)
{
    enum { DAYS_AFTER_HOURS = 2 * DAY_HOURS };
    int64_t now = (int64_t)now_ns;
    return (struct roll_up){
        .hours_before = (now - (int64_t)(seconds * 1e9)) / (int64_t)HOUR_NS + !(seconds > 0),
        .days_before = now / (int64_t)HOUR_NS - DAYS_AFTER_HOURS,
    };
}

bool roll_up(struct store *store, struct roll_up *roll, struct err *err)
{
    struct sum_keys hours = {0}, days = {0};
    bool ok = sums_hours(store, &store->arena, roll->hours_before, &hours, err) &&
              keys_roll(store, &hours, roll, err) &&
              sums_days(store, &store->arena, roll->days_before, &days, err) &&
              keys_roll(store, &days, roll, err);
    vec_release(&hours);
    vec_release(&days);
    return ok;
}
