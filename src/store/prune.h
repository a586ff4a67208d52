/* Forgets the oldest of a store. */
#pragma once

#include "store/store.h"

struct prune {
    uint64_t before_ns;  /* recordings that began before, by days; 0: none */
    uint64_t bytes_max;  /* of bodies, sums and packs; 0: any */
    uint64_t recordings; /* forgotten */
    uint64_t packs;      /* of modules that no recording has any more */
};

bool store_prune(struct store *store, struct prune *prune, struct err *err);
