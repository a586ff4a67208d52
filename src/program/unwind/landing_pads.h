/* Where exceptions land: the pads that the tables of C++ and its kind (.gcc_except_table) name. No
 * edge leads there. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

struct image;

struct landing_pads {
    VEC(struct svma); /* in the order of their tables; one may be there several times */
};

/* Appends. A table that makes no sense is read as far as it does. */
void landing_pads_read(struct landing_pads *pads, const struct image *image);
