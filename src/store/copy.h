/* From one store to another. */
#pragma once

#include "store/store.h"

struct copied {
    uint64_t recordings, sums, packs; /* that the other did not have */
};

/* Refuses sums of hours of which the other has sums or recordings that may be the same. */
bool store_copy(struct store *from, struct store *to, struct copied *ret_copied, struct err *err);
