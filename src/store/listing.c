#include "store/listing.h"

#include <string.h>

struct taking {
    struct store *store;
    struct store_listing *listing;
};

static const char *text_of(struct taking *taking, const struct sql_value *value)
{
    return arena_string_n(&taking->store->arena, value->bytes, value->n);
}

static bool row_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct taking *taking = to;
    (void)err;
    *vec_push(taking->listing) = (struct listed){
        .service = text_of(taking, &columns[0]),
        .build = text_of(taking, &columns[1]),
        .kind = text_of(taking, &columns[2]),
        .recordings = columns[3].number,
        .machines = columns[4].number,
        .waiting = columns[5].number,
        .first_ns = columns[6].number,
        .last_ns = columns[7].number,
        .bytes = columns[8].number,
    };
    return true;
}

/* Sums belong to rows that are there: a recording stays when its body has gone. */
static bool sum_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct taking *taking = to;
    const char *service = text_of(taking, &columns[0]), *build = text_of(taking, &columns[1]),
               *kind = text_of(taking, &columns[2]);
    (void)err;
    for (size_t i = 0; i < taking->listing->n; i++) {
        struct listed *row = &taking->listing->at[i];
        if (strcmp(row->service, service) == 0 && strcmp(row->build, build) == 0 &&
            strcmp(row->kind, kind) == 0)
            row->bytes += columns[3].number;
    }
    return true;
}

static bool packs_take(void *to, const struct sql_value *columns, struct err *err)
{
    struct taking *taking = to;
    (void)err;
    taking->listing->packs = columns[0].number;
    taking->listing->pack_bytes = columns[1].number;
    return true;
}

bool store_list(struct store *store, struct store_listing *ret_listing, struct err *err)
{
    struct store_listing listing = {0};
    struct taking taking = {store, &listing};
    if (sql_query(store->sql,
                  "SELECT service, build, kind, count(*), count(DISTINCT machine), "
                  "sum(CASE WHEN rolled = 0 THEN 1 ELSE 0 END), min(begin_ns), max(begin_ns), "
                  "CAST(sum(CASE WHEN rolled = 0 THEN bytes ELSE 0 END) AS BIGINT) "
                  "FROM gait_recordings GROUP BY service, build, kind ORDER BY 1, 8 DESC, 2, 3",
                  NULL, 0, row_take, &taking, NULL, err) &&
        sql_query(store->sql,
                  "SELECT service, build, kind, CAST(sum(bytes) AS BIGINT) FROM gait_sums "
                  "GROUP BY service, build, kind",
                  NULL, 0, sum_take, &taking, NULL, err) &&
        sql_query(store->sql,
                  "SELECT count(*), CAST(coalesce(sum(length(body)), 0) AS BIGINT) FROM gait_code",
                  NULL, 0, packs_take, &taking, NULL, err)) {
        *ret_listing = listing;
        return true;
    }
    vec_release(&listing);
    return false;
}
