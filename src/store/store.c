#include "store/store.h"

#include "base/clock.h"
#include "base/err.h"
#include "store/schema.h"

static bool connect(struct store *store, enum sql_use use, struct err *err)
{
    const struct store_place *place = &store->place;
    return place->postgres ? postgres_open(place->where, place->shown, &store->sql, err)
                           : sqlite_open(place->where, use, &store->sql, err);
}

bool store_open(const char *text, enum sql_use use, struct store *ret_store, struct err *err)
{
    struct store store = {0};
    if (store_place_parse(&store.arena, text, clock_ns(CLOCK_REALTIME), &store.place, err) &&
        connect(&store, use, err) &&
        (use >= SQL_UPDATE ? schema_make(store.sql, err) : schema_check(store.sql, err))) {
        *ret_store = store;
        return true;
    }
    store_close(&store);
    return false;
}

void store_close(struct store *store)
{
    if (store->sql)
        sql_close(store->sql);
    arena_release(&store->arena);
}

static bool number_take(void *to, const struct sql_value *columns, struct err *err)
{
    (void)err;
    *(uint64_t *)to = (uint64_t)columns[0].number;
    return true;
}

bool store_now(struct store *store, uint64_t *ret_ns, struct err *err)
{
    if (store->place.postgres)
        return sql_query(
            store->sql,
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) * 1000", NULL,
            0, number_take, ret_ns, NULL, err);
    *ret_ns = clock_ns(CLOCK_REALTIME);
    return true;
}
