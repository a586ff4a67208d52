#include "store/prune.h"

#include "base/err.h"
#include "base/map.h"
#include "base/sha256.h"
#include "profile/file/file.h"
#include "store/body.h"
#include "store/code.h"
#include "store/origin.h"
#include "store/sums.h"

#include <string.h>

static bool number_take(void *to, const struct sql_value *columns, struct err *err)
{
    (void)err;
    *(int64_t *)to = columns[0].number;
    return true;
}

static bool number_read(struct store *store, const char *text, int64_t *ret_number, struct err *err)
{
    return sql_query(store->sql, text, NULL, 0, number_take, ret_number, NULL, err);
}

/* ---- days */

/* Everything before a day, which is counted from 1970. */
static bool days_forget(struct store *store, int64_t day, struct prune *prune, struct err *err)
{
    struct sql_value values[] = {sql_number(day), sql_number(day * DAY_HOURS)};
    uint64_t changed = 0;
    if (!sql_query(store->sql, "DELETE FROM gait_recordings WHERE day < $1", values, 1, NULL, NULL,
                   &changed, err) ||
        !sql_query(store->sql, "DELETE FROM gait_sums WHERE hour + hours <= $1", &values[1], 1,
                   NULL, NULL, NULL, err) ||
        !sql_query(store->sql, "DELETE FROM gait_functions WHERE hour + hours <= $1", &values[1], 1,
                   NULL, NULL, NULL, err))
        return false;
    prune->recordings += changed;
    /* Partitions are made for days to come, too, and cost nothing. */
    return !store->sql->driver->partitions ||
           sql_query(store->sql, "SELECT gait_days_drop($1)", values, 1, NULL, NULL, NULL, err);
}

#define SIZE                                                                                       \
    "SELECT CAST((SELECT coalesce(sum(bytes), 0) FROM gait_recordings WHERE rolled = 0) + "        \
    "(SELECT coalesce(sum(bytes), 0) FROM gait_sums) + "                                           \
    "(SELECT coalesce(sum(length(body)), 0) FROM gait_code) AS BIGINT)"
#define FIRST_DAY "SELECT coalesce(min(day), -1) FROM gait_recordings"

/* Day by day from the oldest, until what is left is small enough; the last day stays. */
static bool size_forget(struct store *store, struct prune *prune, struct err *err)
{
    for (;;) {
        int64_t size = 0, first = -1, last = -1;
        if (!number_read(store, SIZE, &size, err) || !number_read(store, FIRST_DAY, &first, err) ||
            !number_read(store, "SELECT coalesce(max(day), -1) FROM gait_recordings", &last, err))
            return false;
        if ((uint64_t)size <= prune->bytes_max || first >= last)
            return true;
        if (!days_forget(store, first + 1, prune, err))
            return false;
    }
}

/* ---- packs */

struct late_recording {
    int64_t day;
    uint8_t digest[SHA256_BYTES];
};

/* Modules that recordings and sums have, and of which recordings that is known. */
struct users {
    struct profile all;
    struct map seen; /* digests */
    struct late {
        VEC(struct late_recording);
    } late; /* came after the first look */
};
static bool modules_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct users *users = to;
    struct profile profile;
    (void)err;
    struct err damaged; /* nothing of it can be read, and no code is of use to it */
    if (!body_read("a recording", columns[0].bytes, columns[0].n, &profile, &damaged))
        return true;
    for (size_t i = 0; i < profile.modules.n; i++)
        profile_module(&users->all, "/", profile.modules.at[i].build_id,
                       profile.modules.at[i].build_id_bytes);
    profile_release(&profile);
    return true;
}

static bool recording_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct users *users = to;
    if (columns[1].n == SHA256_BYTES)
        map_add(&users->seen, columns[1].bytes);
    return modules_take(to, columns, err);
}

static bool late_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct users *users = to;
    (void)err;
    if (columns[1].n != SHA256_BYTES || map_find(&users->seen, columns[1].bytes) != MAP_NONE)
        return true;
    struct late_recording *late = vec_push(&users->late);
    late->day = columns[0].number;
    memcpy(late->digest, columns[1].bytes, SHA256_BYTES);
    return true;
}

static bool users_read(struct store *store, struct users *users, struct err *err)
{
    return sql_query(store->sql, "SELECT body, digest FROM gait_recordings WHERE rolled = 0", NULL,
                     0, recording_take, users, NULL, err) &&
           sql_query(store->sql, "SELECT body FROM gait_sums", NULL, 0, modules_take, users, NULL,
                     err);
}

/* To read everything takes long, and senders go on meanwhile. They wait only while what they sent
 * since is read, too. Nobody rolls up: sums_begin. */
static bool late_read(struct store *store, struct users *users, struct err *err)
{
    bool ok = code_hold(store->sql, true, err) &&
              sql_query(store->sql, "SELECT day, digest FROM gait_recordings WHERE rolled = 0",
                        NULL, 0, late_take, users, NULL, err);
    for (size_t i = 0; ok && i < users->late.n; i++) {
        const struct late_recording *late = &users->late.at[i];
        const struct sql_value key[] = {sql_number(late->day),
                                        sql_bytes(late->digest, SHA256_BYTES)};
        ok =
            sql_query(store->sql, "SELECT body FROM gait_recordings WHERE day = $1 AND digest = $2",
                      key, 2, modules_take, users, NULL, err);
    }
    return ok;
}

struct builds {
    struct arena *arena;
    VEC(const char *);
};

static bool build_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct builds *builds = to;
    (void)err;
    *vec_push(builds) = arena_string_n(builds->arena, columns[0].bytes, columns[0].n);
    return true;
}

static bool used(const struct profile *all, const char *build)
{
    char text[BUILD_HEX];
    for (size_t i = 0; i < all->modules.n; i++) {
        build_text(&all->modules.at[i], text);
        if (strcmp(text, build) == 0)
            return true;
    }
    return false;
}

static bool unused_forget(struct store *store, const struct profile *all,
                          const struct builds *builds, struct prune *prune, struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < builds->n; i++) {
        struct sql_value value = sql_text(builds->at[i]);
        uint64_t changed = 0;
        if (!used(all, builds->at[i]))
            ok = sql_query(store->sql, "DELETE FROM gait_code WHERE module = $1", &value, 1, NULL,
                           NULL, &changed, err);
        prune->packs += changed;
    }
    return ok;
}

static bool packs_forget(struct store *store, struct prune *prune, struct err *err)
{
    struct builds builds = {.arena = &store->arena};
    struct users users = {0};
    profile_init(&users.all);
    map_init(&users.seen, SHA256_BYTES);
    /* Before recordings are read: packs that come meanwhile stay. */
    bool ok = sql_query(store->sql, "SELECT DISTINCT module FROM gait_code", NULL, 0, build_take,
                        &builds, NULL, err) &&
              users_read(store, &users, err) && late_read(store, &users, err) &&
              unused_forget(store, &users.all, &builds, prune, err);
    vec_release(&builds);
    vec_release(&users.late);
    map_release(&users.seen);
    profile_release(&users.all);
    return ok;
}

/* Two transactions: partitions that are dropped lock senders out, who may hold packs. */
static bool days_prune(struct store *store, struct prune *prune, struct err *err)
{
    return sums_begin(store, err) &&
           (!prune->before_ns || days_forget(store, origin_day(prune->before_ns), prune, err)) &&
           (!prune->bytes_max || size_forget(store, prune, err)) &&
           sql_run(store->sql, "COMMIT", err);
}

static bool packs_prune(struct store *store, struct prune *prune, struct err *err)
{
    return sums_begin(store, err) && packs_forget(store, prune, err) &&
           sql_run(store->sql, "COMMIT", err);
}

bool store_prune(struct store *store, struct prune *prune, struct err *err)
{
    struct err ignored;
    bool ok =
        days_prune(store, prune, err) && (!prune->recordings || packs_prune(store, prune, err));
    if (!ok)
        sql_run(store->sql, "ROLLBACK", &ignored);
    /* The file gets smaller. */
    return ok && (store->sql->driver->partitions || !prune->recordings ||
                  sql_run(store->sql, "VACUUM", err));
}
