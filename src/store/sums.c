#include "store/body.h"
#include "store/sums.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/sha256.h"
#include "profile/file/file.h"
#include "store/blur.h"
#include "store/code.h"

struct sql_value *sum_key_values(const struct sum_key *key, struct sql_value to[5])
{
    to[0] = sql_text(key->service);
    to[1] = sql_text(key->build);
    to[2] = sql_text(key->kind);
    to[3] = sql_number(key->hours);
    to[4] = sql_number(key->hour);
    return to;
}

/* ---- which */

struct listing {
    struct arena *arena;
    struct sum_keys *keys;
    int64_t hours;
};

static const char *text_of(struct arena *arena, const struct sql_value *value)
{
    return arena_string_n(arena, value->bytes, value->n);
}

static bool key_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct listing *listing = to;
    (void)err;
    *vec_push(listing->keys) =
        (struct sum_key){text_of(listing->arena, &columns[0]), text_of(listing->arena, &columns[1]),
                         text_of(listing->arena, &columns[2]), listing->hours, columns[3].number};
    return true;
}

bool sums_hours(struct store *store, struct arena *arena, int64_t before, struct sum_keys *ret_keys,
                struct err *err)
{
    struct listing listing = {arena, ret_keys, 1};
    struct sql_value value = sql_number(before * (int64_t)HOUR_NS);
    return sql_query(store->sql,
                     "SELECT DISTINCT service, build, kind, begin_ns / 3600000000000 AS hour "
                     "FROM gait_recordings WHERE rolled = 0 AND begin_ns < $1 ORDER BY 1, 2, 3, 4",
                     &value, 1, key_take, &listing, NULL, err);
}

bool sums_days(struct store *store, struct arena *arena, int64_t before, struct sum_keys *ret_keys,
               struct err *err)
{
    struct listing listing = {arena, ret_keys, DAY_HOURS};
    struct sql_value value = sql_number(before - before % DAY_HOURS);
    return sql_query(store->sql,
                     "SELECT DISTINCT service, build, kind, hour / 24 * 24 AS day "
                     "FROM gait_sums WHERE hours = 1 AND hour < $1 ORDER BY 1, 2, 3, 4",
                     &value, 1, key_take, &listing, NULL, err);
}

/* ---- adding up */

struct adding {
    const struct sum_key *key;
    struct profile sum;
    bool any;
    uint64_t n;
    struct digests {
        VEC(uint8_t); /* of recordings that cannot be added, SHA256_BYTES each */
    } refused;
};

/* Takes the profile. */
static bool profile_add(struct adding *adding, struct profile *profile, struct err *err)
{
    profile_blur(profile, adding->key->service);
    if (!adding->any) {
        adding->any = true;
        adding->n++;
        adding->sum = *profile;
        return true;
    }
    bool ok = profile_merge(&adding->sum, profile, err);
    adding->n += ok;
    profile_release(profile);
    return ok;
}

static bool body_add(void *to, const struct sql_value *columns, struct err *err)
{
    struct profile profile;
    return body_read("a sum", columns[0].bytes, columns[0].n, &profile, err) &&
           profile_add(to, &profile, err);
}

/* A damaged recording stays where it is, and does not stop the others. */
static bool recording_add(void *to, const struct sql_value *columns, struct err *err)
{
    struct adding *adding = to;
    struct profile profile;
    struct err why;
    bool readable = body_read("a recording", columns[0].bytes, columns[0].n, &profile, &why);
    bool sound = readable && !profile.damaged && !profile.ruined;
    if (sound && profile_add(adding, &profile, &why))
        return true;
    if (readable && !sound)
        profile_release(&profile);
    if (columns[1].n != SHA256_BYTES)
        return err_set(err, ERR_FORMAT, "a digest has %zu bytes", columns[1].n);
    vec_room(&adding->refused, adding->refused.n + SHA256_BYTES);
    memcpy(adding->refused.at + adding->refused.n, columns[1].bytes, SHA256_BYTES);
    adding->refused.n += SHA256_BYTES;
    return true;
}

/* $1 to $5 are the key's; what is taken leaves its place. */
struct source {
    const char *claim, *take, *leave;
    sql_row *add;
};
#define OF_HOUR                                                                                    \
    "service = $1 AND build = $2 AND kind = $3 AND begin_ns / 3600000000000 = $5 AND $4 = 1 "      \
    "AND begin_ns >= $5 * 3600000000000 AND begin_ns < ($5 + 1) * 3600000000000"
static const struct source recordings = {
    "UPDATE gait_recordings SET rolled = 1 WHERE rolled = 0 AND " OF_HOUR,
    "SELECT body, digest FROM gait_recordings WHERE rolled = 1 AND " OF_HOUR " ORDER BY digest",
    "UPDATE gait_recordings SET rolled = 2, body = $6 WHERE rolled = 1 AND " OF_HOUR,
    recording_add,
};
#define OF_DAY                                                                                     \
    "service = $1 AND build = $2 AND kind = $3 AND hours = 1 AND hour >= $5 AND hour < $5 + $4"
static const struct source sums = {
    NULL,
    "SELECT body FROM gait_sums WHERE " OF_DAY " ORDER BY hour",
    "DELETE FROM gait_sums WHERE " OF_DAY,
    body_add,
};
#define OF_KEY "service = $1 AND build = $2 AND kind = $3 AND hours = $4 AND hour = $5"

bool sums_begin(struct store *store, struct err *err)
{
    /* One at a time: two that add to one sum would each forget what the other added. */
    return sql_begin(store->sql, err) &&
           (!store->sql->driver->partitions ||
            sql_run(store->sql, "SELECT pg_advisory_xact_lock(7234201862)", err));
}

static bool refused_mark(struct store *store, const struct sum_key *key,
                         const struct digests *refused, struct err *err)
{
    struct sql_value values[6];
    sum_key_values(key, values);
    for (size_t i = 0; i < refused->n; i += SHA256_BYTES) {
        values[5] = sql_bytes(refused->at + i, SHA256_BYTES);
        if (!sql_query(store->sql,
                       "UPDATE gait_recordings SET rolled = 3 WHERE digest = $6 AND " OF_HOUR,
                       values, 6, NULL, NULL, NULL, err))
            return false;
    }
    return true;
}

static bool take_all(struct store *store, const struct source *from, const struct sum_key *key,
                     struct adding *adding, struct err *err)
{
    struct sql_value values[6];
    sum_key_values(key, values);
    values[5] = sql_bytes("", 0);
    if (from->claim && !sql_query(store->sql, from->claim, values, 5, NULL, NULL, NULL, err))
        return false;
    if (!sql_query(store->sql, "SELECT body FROM gait_sums WHERE " OF_KEY, values, 5, body_add,
                   adding, NULL, err))
        return false;
    adding->n = 0;
    return sql_query(store->sql, from->take, values, 5, from->add, adding, NULL, err) &&
           refused_mark(store, key, &adding->refused, err) &&
           sql_query(store->sql, from->leave, values, from->claim ? 6 : 5, NULL, NULL, NULL, err);
}

static uint64_t amount_of(const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    return profile->mode == PROFILE_EXACT ? totals->instructions
                                          : totals->user_ns + totals->kernel_ns;
}

static bool sum_store(struct store *store, const struct sum_key *key, const struct profile *sum,
                      struct err *err)
{
    struct sql_value values[9];
    struct bytes body = {0};
    body_write(&body, sum);
    sum_key_values(key, values);
    values[5] = sql_number((int64_t)sum->totals.recordings);
    values[6] = sql_number((int64_t)amount_of(sum));
    values[7] = sql_number((int64_t)body.n);
    values[8] = sql_bytes(body.at, body.n);
    bool ok = sql_query(store->sql, "DELETE FROM gait_sums WHERE " OF_KEY, values, 5, NULL, NULL,
                        NULL, err) &&
              sql_query(store->sql,
                        "INSERT INTO gait_sums (service, build, kind, hours, hour, recordings, "
                        "amount, bytes, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                        values, 9, NULL, NULL, NULL, err);
    vec_release(&body);
    return ok;
}

bool store_sum(struct store *store, const struct sum_key *key, struct profile *ret_sum,
               uint64_t *ret_n, struct err *err)
{
    struct adding adding = {.key = key};
    uint64_t lost;
    bool ok = take_all(store, key->hours == 1 ? &recordings : &sums, key, &adding, err);
    if (ok && !adding.any) /* somebody else was faster */
        profile_init(&adding.sum), adding.any = true;
    else
        ok = ok && sum_store(store, key, &adding.sum, err) &&
             code_fill(store->sql, &adding.sum, &lost, err);
    vec_release(&adding.refused);
    if (ok) {
        *ret_sum = adding.sum;
        *ret_n = adding.n;
    } else if (adding.any) {
        profile_release(&adding.sum);
    }
    return ok;
}
