/* Starts of functions, from the binary search table of .eh_frame_hdr alone.
 *
 * For code that must separate functions while a program runs and cannot afford to read symbols.
 * Code without a frame description counts as part of the function before it. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

struct bounds {
    uint64_t base;
    VEC(int32_t); /* starts above base, sorted; empty: nothing is known */
};

void bounds_read(struct bounds *bounds, const struct image *image);
void bounds_release(struct bounds *bounds);

/* The function of the address: [*ret_start, *ret_end). False: not known. */
bool bounds_find(const struct bounds *bounds, struct svma at, struct svma *ret_start,
                 struct svma *ret_end);
