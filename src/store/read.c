#include "store/read.h"

#include "base/bytes.h"
#include "base/err.h"
#include "profile/file/file.h"
#include "store/body.h"
#include "store/code.h"
#include "store/question.h"
#include "store/store.h"

struct reading {
    struct profile sum;
    uint64_t n;       /* bodies in it */
    int64_t left_out; /* recordings of the machine that were rolled up */
};

static bool body_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct reading *reading = to;
    struct profile profile;
    if (!body_read("a recording", columns[0].bytes, columns[0].n, &profile, err))
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

static bool count_take(void *to, const struct sql_value *columns, struct err *err)
{
    (void)err;
    *(int64_t *)to = columns[0].number;
    return true;
}

/* Recordings that have gone into sums are of no machine any more. */
static bool machine_read(struct store *store, const struct sql_value *values,
                         struct reading *reading, struct err *err)
{
    return sql_query(store->sql,
                     "SELECT body FROM gait_recordings WHERE rolled = 0 AND " WANTED_RECORDINGS,
                     values, QUESTION_VALUES, body_take, reading, NULL, err) &&
           sql_query(store->sql,
                     "SELECT count(*) FROM gait_recordings WHERE rolled <> 0 "
                     "AND " WANTED_RECORDINGS,
                     values, QUESTION_VALUES, count_take, &reading->left_out, NULL, err);
}

/* One statement: what moves from a recording to a sum meanwhile is seen once. */
static bool bodies_read(struct store *store, struct reading *reading, struct err *err)
{
    struct sql_value values[QUESTION_VALUES];
    question_values(store, values);
    if (store->place.query.machine)
        return machine_read(store, values, reading, err);
    return sql_query(store->sql,
                     "SELECT body FROM gait_recordings WHERE rolled = 0 "
                     "AND " WANTED_RECORDINGS "UNION ALL "
                     "SELECT body FROM gait_sums WHERE " WANTED_SUMS,
                     values, QUESTION_VALUES, body_take, reading, NULL, err);
}

static bool fill(struct store *store, struct profile *profile, int64_t left_out, struct err *err)
{
    uint64_t lost;
    if (!code_fill(store->sql, profile, &lost, err))
        return false;
    if (left_out)
        profile->warning = arena_format(
            &profile->arena, "%s: %lld recordings of the machine are only in sums of all machines",
            store->place.shown, (long long)left_out);
    else if (lost)
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
    ok = ok && settle(&reading, err) && fill(&store, &reading.sum, reading.left_out, err);
    if (ok)
        *ret_profile = reading.sum;
    else if (reading.n)
        profile_release(&reading.sum);
    store_close(&store);
    return ok;
}
