#include "view/paths/fold.h"

#include <string.h>

/* How often the first `period` numbers come in a row. */
static uint32_t times_of(const uint64_t *numbers, uint32_t n, uint32_t period)
{
    uint32_t times = 1;
    while ((times + 1) * period <= n &&
           memcmp(numbers, numbers + times * period, period * sizeof *numbers) == 0)
        times++;
    return times;
}

/* times 1: nothing repeats here. */
static struct fold repeat_at(const uint64_t *numbers, uint32_t n)
{
    struct fold best = {1, 1};
    for (uint32_t period = 1; period <= n / 2 && period <= FOLD_PERIOD_MOST; period++) {
        uint32_t times = times_of(numbers, n, period);
        if (times > 1 && (best.times == 1 || times * period > best.times * best.n))
            best = (struct fold){period, times};
    }
    return best;
}

struct fold fold_next(const uint64_t *numbers, uint32_t n)
{
    struct fold fold = repeat_at(numbers, n);
    if (fold.times > 1)
        return fold;
    while (fold.n < n && repeat_at(numbers + fold.n, n - fold.n).times == 1)
        fold.n++;
    return fold;
}
