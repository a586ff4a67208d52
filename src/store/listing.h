/* What there is in a store: a row for each service, build and kind. */
#pragma once

#include "store/store.h"

#include "base/vec.h"

struct listed {
    const char *service, *build, *kind;
    int64_t recordings, machines, waiting; /* waiting: not in sums yet */
    int64_t first_ns, last_ns;             /* when they began */
    int64_t bytes;                         /* of bodies and sums */
};

struct store_listing {
    VEC(struct listed); /* by service, the last build first */
    int64_t packs, pack_bytes;
};

/* Texts live in the store's arena; the caller releases the rows. */
bool store_list(struct store *store, struct store_listing *ret_listing, struct err *err);
