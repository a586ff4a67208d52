#include "store/copy.h"

#include "base/err.h"
#include "store/sums.h"

struct copying {
    struct store *to;
    struct copied copied;
};

static bool number_take(void *to, const struct sql_value *columns, struct err *err)
{
    (void)err;
    *(int64_t *)to = columns[0].number;
    return true;
}

static bool insert(struct copying *copying, const char *text, const struct sql_value *columns,
                   size_t n, uint64_t *counter, struct err *err)
{
    uint64_t changed = 0;
    if (!sql_query(copying->to->sql, text, columns, n, NULL, NULL, &changed, err))
        return false;
    *counter += changed;
    return true;
}

static bool pack_copy(void *to, const struct sql_value *columns, struct err *err)
{
    struct copying *copying = to;
    return insert(copying,
                  "INSERT INTO gait_code (module, digest, has, body) VALUES ($1, $2, $3, $4) "
                  "ON CONFLICT DO NOTHING",
                  columns, 4, &copying->copied.packs, err);
}

static bool recording_copy(void *to, const struct sql_value *columns, struct err *err)
{
    struct copying *copying = to;
    return sql_day(copying->to->sql, columns[0].number, err) &&
           insert(copying,
                  "INSERT INTO gait_recordings (day, digest, machine, service, build, kind, "
                  "begin_ns, end_ns, bytes, body, rolled) "
                  "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
                  columns, 11, &copying->copied.recordings, err);
}

#define OF_KEY "service = $1 AND build = $2 AND kind = $3"

/* Of a sum nobody can tell which recordings are in it: it must be the only one of its hours. */
static bool sum_copy(void *to, const struct sql_value *columns, struct err *err)
{
    struct copying *copying = to;
    int64_t same = 0, others = 0;
    const struct sql_value key[] = {columns[0], columns[1], columns[2], columns[3],
                                    columns[4], columns[5], columns[6]};
    if (!sql_query(copying->to->sql,
                   "SELECT count(*) FROM gait_sums WHERE " OF_KEY
                   " AND hours = $4 AND hour = $5 AND recordings = $6 AND amount = $7",
                   key, 7, number_take, &same, NULL, err))
        return false;
    if (same)
        return true;
    if (!sql_query(copying->to->sql,
                   "SELECT (SELECT count(*) FROM gait_sums WHERE " OF_KEY
                   " AND hour < $5 + $4 AND hour + hours > $5) + "
                   "(SELECT count(*) FROM gait_recordings WHERE " OF_KEY
                   " AND begin_ns >= $5 * 3600000000000 AND begin_ns < ($5 + $4) * 3600000000000)",
                   key, 5, number_take, &others, NULL, err))
        return false;
    if (others)
        return err_set(err, ERR_FORMAT,
                       "%s: both stores have recordings of %.*s in the hours from %lld on, and one "
                       "has only their sum",
                       copying->to->place.shown, (int)columns[0].n, (const char *)columns[0].bytes,
                       (long long)columns[4].number);
    return insert(copying,
                  "INSERT INTO gait_sums (service, build, kind, hours, hour, recordings, amount, "
                  "bytes, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                  columns, 9, &copying->copied.sums, err);
}

static bool function_copy(void *to, const struct sql_value *columns, struct err *err)
{
    struct copying *copying = to;
    uint64_t ignored = 0;
    return insert(copying,
                  "INSERT INTO gait_functions (service, build, kind, hours, hour, module, "
                  "function, amount, sd) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
                  "ON CONFLICT DO NOTHING",
                  columns, 9, &ignored, err);
}

static bool tables_copy(struct store *from, struct copying *copying, struct err *err)
{
    return sql_query(from->sql, "SELECT module, digest, has, body FROM gait_code", NULL, 0,
                     pack_copy, copying, NULL, err) &&
           sql_query(from->sql,
                     "SELECT service, build, kind, hours, hour, recordings, amount, bytes, body "
                     "FROM gait_sums",
                     NULL, 0, sum_copy, copying, NULL, err) &&
           sql_query(from->sql,
                     "SELECT service, build, kind, hours, hour, module, function, amount, sd "
                     "FROM gait_functions",
                     NULL, 0, function_copy, copying, NULL, err) &&
           sql_query(from->sql,
                     "SELECT day, digest, machine, service, build, kind, begin_ns, end_ns, bytes, "
                     "body, rolled FROM gait_recordings",
                     NULL, 0, recording_copy, copying, NULL, err);
}

bool store_copy(struct store *from, struct store *to, struct copied *ret_copied, struct err *err)
{
    struct copying copying = {.to = to};
    struct err ignored;
    if (!sums_begin(to, err))
        return false;
    if (tables_copy(from, &copying, err) && sql_run(to->sql, "COMMIT", err)) {
        *ret_copied = copying.copied;
        return true;
    }
    sql_run(to->sql, "ROLLBACK", &ignored);
    return false;
}
