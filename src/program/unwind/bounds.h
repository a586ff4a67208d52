/* Where functions begin, by the table for binary search of .eh_frame_hdr alone.
 *
 * For whoever must tell functions apart while a program runs, and cannot afford to read symbols: a
 * copy of the table is all there is. Code without a frame description counts as part of what is
 * before it. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

struct bounds {
    uint64_t base;
    VEC(int32_t); /* starts of functions, counted from base, sorted; none: nothing is known */
};

void bounds_read(struct bounds *bounds, const struct image *image);
void bounds_release(struct bounds *bounds);

/* The function that has the address: from *ret_start up to *ret_end. False: nothing is known of it.
 */
bool bounds_find(const struct bounds *bounds, struct svma at, struct svma *ret_start,
                 struct svma *ret_end);
