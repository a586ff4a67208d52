/* Pages that are about to be written, got from the kernel many at a time: a page fault costs
 * several times as much as its page. For exact runs, which write megabytes within milliseconds. */
#pragma once

#include "walk/base/sys.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { AHEAD_BYTES = 1 << 17, AHEAD_POPULATE_WRITE = 23 }; /* since Linux 5.14 */

struct ahead {
    bool on;
    uint64_t end; /* bytes from the start that were asked for */
};

/* `used` bytes of the memory at `at` are written, and soon some more. `at` is on a page boundary,
 * or the pages before it may be written too. Where the kernel refuses, pages come one by one. */
static inline void ahead_of(struct ahead *ahead, const void *at, uint64_t used)
{
    if (!ahead->on || used + AHEAD_BYTES / 8 < ahead->end)
        return;
    uint64_t start = ((uint64_t)at + ahead->end) & ~UINT64_C(4095);
    ahead->end = (used > ahead->end ? used : ahead->end) + AHEAD_BYTES;
    uint64_t end = ((uint64_t)at + ahead->end) & ~UINT64_C(4095);
    if (end > start)
        sys3(SYS_madvise, (long)start, (long)(end - start), AHEAD_POPULATE_WRITE);
}
