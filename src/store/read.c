#include "store/read.h"

#include "base/bytes.h"
#include "base/err.h"
#include "profile/file/file.h"
#include "store/code.h"
#include "store/store.h"

struct reading {
    struct profile sum;
    uint64_t n; /* bodies in it */
};

static bool body_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct reading *reading = to;
    struct profile profile;
    if (!profile_read_bytes("a recording", columns[0].bytes, columns[0].n, &profile, err))
        return false;
    if (profile.damaged || profile.ruined) {
        err_set(err, ERR_FORMAT, "%s; gait store check lists what is damaged", profile.warning);
        profile_release(&profile);
        return false;
    }
    if (!reading->n++) {
        reading->sum = profile;
        return true;
    }
    bool ok = profile_merge(&reading->sum, &profile, err) ||
              err_in(err, "mode=, service= or since= must choose recordings of one kind");
    profile_release(&profile);
    return ok;
}

static bool bodies_read(struct store *store, struct reading *reading, struct err *err)
{
    const struct store_query *query = &store->place.query;
    /* Every digit of a build-id is below 'g'. */
    const char *build = query->build ? query->build : "";
    const struct sql_value values[] = {
        sql_text(query->service ? query->service : ""),
        sql_text(query->machine ? query->machine : ""),
        sql_text(query->mode ? query->mode : ""),
        sql_text(build),
        sql_text(arena_format(&store->arena, "%sg", build)),
        sql_number((int64_t)query->since_ns),
        sql_number(query->until_ns ? (int64_t)query->until_ns : INT64_MAX),
    };
    return sql_query(store->sql,
                     "SELECT body FROM gait_recordings "
                     "WHERE ($1 = '' OR service = $1) AND ($2 = '' OR machine = $2) "
                     "AND ($3 = '' OR kind = $3 OR kind LIKE $3 || ' %') "
                     "AND build >= $4 AND build < $5 AND begin_ns >= $6 AND begin_ns < $7 "
                     "ORDER BY day, digest",
                     values, sizeof values / sizeof *values, body_take, reading, NULL, err);
}

static bool fill(struct store *store, struct profile *profile, struct err *err)
{
    uint64_t lost;
    if (!code_fill(store->sql, profile, &lost, err))
        return false;
    if (lost)
        profile->warning =
            arena_format(&profile->arena, "%s: names and code of %llu functions are missing",
                         store->place.shown, (unsigned long long)lost);
    return true;
}

/* Sums depend on the order of their parts in which of their rows come first, and so do views where
 * rows weigh the same. Files do not: the sum is read as if from one. */
static bool settle(struct reading *reading, struct err *err)
{
    struct bytes bytes = {0};
    struct profile settled;
    if (reading->n < 2)
        return true;
    profile_write_bytes(&bytes, &reading->sum, false);
    bool ok = profile_read_bytes("the sum", bytes.at, bytes.n, &settled, err);
    vec_release(&bytes);
    if (!ok)
        return false;
    profile_release(&reading->sum);
    reading->sum = settled;
    return true;
}

bool store_read(const char *text, struct profile *ret_profile, struct err *err)
{
    struct store store;
    struct reading reading = {0};
    if (!store_open(text, SQL_READ, &store, err))
        return false;
    bool ok = bodies_read(&store, &reading, err) || err_in(err, "%s", store.place.shown);
    if (ok && !reading.n)
        ok = err_set(err, ERR_MISSING,
                     "%s: no recording matches; gait store show lists what there is",
                     store.place.shown);
    ok = ok && settle(&reading, err) && fill(&store, &reading.sum, err);
    if (ok)
        *ret_profile = reading.sum;
    else if (reading.n)
        profile_release(&reading.sum);
    store_close(&store);
    return ok;
}
