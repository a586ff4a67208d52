/* Turns of a loop in a list of blocks: what repeats at once is one piece with its number of times.
 */
#pragma once

#include <stdint.h>

enum { FOLD_PERIOD_MOST = 64 };

struct fold {
    uint32_t n;     /* numbers of the piece */
    uint32_t times; /* 1: it does not repeat */
};

/* The piece that begins at the first of `n` numbers: what repeats, over as many of them as
 * possible, and is then as short as possible; else as many as come before something that does. n >
 * 0. */
struct fold fold_next(const uint64_t *numbers, uint32_t n);
