/* Landing pads: the targets of exceptions that .gcc_except_table names. No edge leads there. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

struct image;

struct landing_pads {
    VEC(struct svma); /* in the order of their tables; may repeat */
};

/* Appends. A broken table is read up to the damage. */
void landing_pads_read(struct landing_pads *pads, const struct image *image);
