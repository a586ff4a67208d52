/* Reads all that a store holds. */
#pragma once

#include "store/store.h"

struct store_checked {
    uint64_t bodies, packs, lost_parts; /* read; and parts that no pack has */
    uint64_t damaged;
    char first[512]; /* what is wrong with the first damaged one; "" if there is none */
};

/* Fails where the database itself cannot be read. */
bool store_check(struct store *store, struct store_checked *ret_checked, struct err *err);
