#include "store/read.h"

#include "base/bytes.h"
#include "base/err.h"
#include "profile/file/file.h"
#include "store/body.h"
#include "store/code.h"
#include "store/question.h"
#include "store/store.h"

#include <string.h>

struct reading {
    struct arena arena;
    struct profile sum;
    uint64_t n; /* bodies in it */
    const char *kind;
    uint64_t damaged; /* bodies that are left out */
    int64_t left_out; /* recordings of the machine that were rolled up */
    int64_t refused;  /* damaged ones that rolling up left out */
};

static bool body_good(const struct sql_value *body, struct profile *ret_profile)
{
    struct err ignored;
    if (!body_read("a recording", body->bytes, body->n, ret_profile, &ignored))
        return false;
    if (!ret_profile->damaged && !ret_profile->ruined)
        return true;
    profile_release(ret_profile);
    return false;
}

/* One machine's damaged body is no reason to show nothing of all others. A body that is not of the
 * kind that its row says is damaged, too. */
static bool body_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct reading *reading = to;
    struct profile profile;
    if (!body_good(&columns[0], &profile)) {
        reading->damaged++;
        return true;
    }
    const char *kind = arena_string_n(&reading->arena, columns[1].bytes, columns[1].n);
    if (!reading->n) {
        reading->n = 1;
        reading->sum = profile;
        reading->kind = kind;
        return true;
    }
    bool merged = profile_merge(&reading->sum, &profile, err);
    bool ok = merged || strcmp(kind, reading->kind) == 0 ||
              err_in(err, "mode=, service= or since= must choose recordings of one kind");
    reading->n += merged;
    reading->damaged += !merged;
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
                     "SELECT body, kind FROM gait_recordings WHERE rolled = 0 "
                     "AND " WANTED_RECORDINGS,
                     values, QUESTION_VALUES, body_take, reading, NULL, err) &&
           sql_query(store->sql,
                     "SELECT count(*) FROM gait_recordings WHERE rolled = 2 "
                     "AND " WANTED_RECORDINGS,
                     values, QUESTION_VALUES, count_take, &reading->left_out, NULL, err);
}

/* One statement: what moves from a recording to a sum meanwhile is seen once. */
static bool bodies_read(struct store *store, struct reading *reading, struct err *err)
{
    struct sql_value values[QUESTION_VALUES];
    question_values(store, values);
    if (!sql_query(store->sql,
                   "SELECT count(*) FROM gait_recordings WHERE rolled = 3 AND " WANTED_RECORDINGS,
                   values, QUESTION_VALUES, count_take, &reading->refused, NULL, err))
        return false;
    if (store->place.query.machine)
        return machine_read(store, values, reading, err);
    return sql_query(store->sql,
                     "SELECT body, kind FROM gait_recordings WHERE rolled = 0 "
                     "AND " WANTED_RECORDINGS "UNION ALL "
                     "SELECT body, kind FROM gait_sums WHERE " WANTED_SUMS,
                     values, QUESTION_VALUES, body_take, reading, NULL, err);
}

static void warn(struct store *store, struct profile *profile, uint64_t n, const char *what)
{
    if (n)
        profile->warning = arena_format(
            &profile->arena, "%s%s%s: %llu %s", profile->warning ? profile->warning : "",
            profile->warning ? "; " : "", store->place.shown, (unsigned long long)n, what);
}

static bool fill(struct store *store, struct reading *reading, struct err *err)
{
    uint64_t lost;
    struct profile *profile = &reading->sum;
    if (!code_fill(store->sql, profile, &lost, err))
        return false;
    warn(store, profile, reading->damaged + (uint64_t)reading->refused,
         "damaged recordings are left out; gait store check says more");
    warn(store, profile, (uint64_t)reading->left_out,
         "recordings of the machine are only in sums of all machines");
    warn(store, profile, lost, "functions have lost their names and code");
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
    if (ok && !reading.n && reading.damaged + (uint64_t)reading.refused)
        ok = err_set(err, ERR_FORMAT,
                     "%s: every recording that matches is damaged; gait store check says more",
                     store.place.shown);
    else if (ok && !reading.n)
        ok = err_set(err, ERR_MISSING,
                     "%s: no recording matches; gait store show lists what there is",
                     store.place.shown);
    ok = ok && settle(&reading, err) && fill(&store, &reading, err);
    if (ok)
        *ret_profile = reading.sum;
    else if (reading.n)
        profile_release(&reading.sum);
    arena_release(&reading.arena);
    store_close(&store);
    return ok;
}

/* ---- builds */

struct builds {
    struct arena *arena;
    struct store_texts *texts;
    const char *text;
};

/* A later word counts. Recordings in which nothing of a program was seen have no build. */
static bool build_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct builds *builds = to;
    (void)err;
    if (columns[0].n)
        *vec_push(builds->texts) = arena_format(builds->arena, "%s%cbuild=%.*s", builds->text,
                                                strchr(builds->text, '?') ? '&' : '?',
                                                (int)columns[0].n, (const char *)columns[0].bytes);
    return true;
}

bool store_builds(const char *text, struct arena *arena, struct store_texts *ret_texts,
                  struct err *err)
{
    struct store store;
    struct sql_value values[QUESTION_VALUES];
    struct builds builds = {arena, ret_texts, text};
    if (!store_open(text, SQL_READ, &store, err))
        return false;
    question_values(&store, values);
    bool ok = sql_query(store.sql,
                        "SELECT build FROM gait_recordings WHERE rolled = 0 AND " WANTED_RECORDINGS
                        "UNION SELECT build FROM gait_sums WHERE " WANTED_SUMS "ORDER BY 1",
                        values, QUESTION_VALUES, build_take, &builds, NULL, err);
    store_close(&store);
    return ok;
}
