#include "fleet/functions.h"

#include "analysis/report/ranking.h"
#include "base/err.h"

#include <math.h>

#define PLACE "service = $1 AND build = $2 AND kind = $3"

static bool rows_clear(struct store *store, const struct sum_key *key, struct err *err)
{
    struct sql_value values[5];
    return sql_query(store->sql,
                     "DELETE FROM gait_functions WHERE " PLACE
                     " AND hour >= $5 AND hour + hours <= $5 + $4",
                     sum_key_values(key, values), 5, NULL, NULL, NULL, err);
}

/* An interval may be longer on one side; the longer one is kept. */
static double deviation(struct estimate share)
{
    const double z95 = 1.959964;
    double side = fmax(share.hi - share.value, share.value - share.lo);
    return isfinite(side) ? side / z95 : 0;
}

static bool row_store(struct store *store, const struct sum_key *key, const struct ranking *ranking,
                      const struct rank_row *row, double whole, struct err *err)
{
    struct sql_value values[9];
    struct estimate share = ranking_share(ranking, row);
    struct scene *scene = ranking->scene;
    if (!(share.value * whole >= 1))
        return true;
    sum_key_values(key, values);
    values[5] = sql_text(row->module < scene->modules.n ? scene->modules.at[row->module].name
                                                        : "[unknown]");
    values[6] = sql_text(row->name ? scene_readable(scene, row->name) : "[unknown]");
    values[7] = sql_number((int64_t)llround(share.value * whole));
    values[8] = sql_number((int64_t)llround(deviation(share) * whole));
    /* Names can be equal, of two static functions: their rows are one. */
    return sql_query(store->sql,
                     "INSERT INTO gait_functions (service, build, kind, hours, hour, module, "
                     "function, amount, sd) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
                     "ON CONFLICT (service, hour, hours, build, kind, module, function) "
                     "DO UPDATE SET amount = gait_functions.amount + excluded.amount, "
                     "sd = gait_functions.sd + excluded.sd",
                     values, 9, NULL, NULL, NULL, err);
}

bool functions_store(struct store *store, const struct sum_key *key, const struct profile *sum,
                     struct err *err)
{
    struct scene scene;
    struct ranking ranking;
    struct err nothing;
    const struct rank_keys keys = {.at = {RANK_FUNCTION}, .n = 1};
    if (!rows_clear(store, key, err))
        return false;
    scene_open(&scene, &sum, 1, NULL);
    bool ok = true;
    /* A profile that nothing was sampled in has no rows. */
    if (ranking_make(&ranking, &scene, keys, (struct rank_filter){0}, &nothing)) {
        double whole = ranking.exact ? (double)sum->totals.instructions
                                     : (ranking.user + ranking.kernel) * 1e9;
        for (size_t i = 0; ok && i < ranking.n; i++)
            ok = row_store(store, key, &ranking, &ranking.at[i], whole, err);
        ranking_release(&ranking);
    }
    scene_close(&scene);
    return ok;
}
