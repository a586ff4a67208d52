#include "walk/emit/tables.h"

#include "walk/base/ahead.h"
#include "walk/base/sys.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum { HUGE_BYTES = 2 << 20, LOW_TRIES = 64 };

/* High below 2 GiB: the heap of a program at a fixed address grows from below. On one huge page if
 * possible: a walk starts with cold TLBs, and in a virtual machine each miss costs two page walks.
 */
struct tables *tables_map(void)
{
    uint64_t at =
        UINT64_C(0x7fe00000) - ((sizeof(struct tables) + HUGE_BYTES - 1) & -(uint64_t)HUGE_BYTES);
    for (uint32_t i = 0; i < LOW_TRIES; i++, at -= 8 * HUGE_BYTES) {
        long got = sys6(SYS_mmap, (long)at, sizeof(struct tables), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (long)at) {
            sys3(SYS_madvise, got, HUGE_BYTES, MADV_HUGEPAGE);
            return (struct tables *)at;
        }
        if (!sys_failed(got)) /* a kernel that does not know the flag */
            sys3(SYS_munmap, got, sizeof(struct tables), 0);
    }
    return NULL;
}

static void fill(uint64_t *entries, uint32_t n, uint64_t with)
{
    for (uint32_t i = 0; i < n; i++)
        __atomic_store_n(&entries[i], with, __ATOMIC_RELAXED);
}

void tables_prepare(struct tables *tables, enum flavour flavour)
{
    if (tables->landings[flavour][0])
        return;
    sys3(SYS_madvise, (long)tables->landings[flavour], sizeof tables->landings[flavour],
         AHEAD_POPULATE_WRITE);
    fill(tables->landings[flavour], TABLES_LANDINGS, context_leave_indirect());
}

void tables_prepare_site(struct tables *tables, uint32_t site)
{
    fill(&tables->sites[site], 1, context_leave_site());
    tables->fan_of[site] = 0;
    tables->landings_of[site] = 0;
}

void tables_prepare_fan(struct tables *tables, uint32_t fan, uint64_t there)
{
    fill(tables->fans[fan], TABLES_FAN_SLOTS, there);
    for (uint32_t i = 0; i < TABLES_FAN_SLOTS; i++)
        tables->fan_below[fan][i] = tables->fan_landings[fan][i] = 0;
}

void tables_forget_fan(struct tables *tables, uint32_t fan)
{
    fill(tables->fans[fan], TABLES_FAN_SLOTS, context_leave_site());
}

void tables_forget(struct tables *tables)
{
    for (uint32_t f = 0; f < FLAVOURS; f++)
        if (tables->landings[f][0])
            fill(tables->landings[f], TABLES_LANDINGS, context_leave_indirect());
}
