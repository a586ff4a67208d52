/* Sorts by addresses: many elements, nearly all with different ones. */
#pragma once

#include <stddef.h>

/* Elements of so many bytes that begin with a uint64_t, by that number. Those with the same one are
 * then sorted by `order`; NULL: they keep their order. */
void sort_by_first(void *at, size_t n, size_t bytes, int (*order)(const void *, const void *));
