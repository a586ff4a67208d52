#include "walk/base/region.h"

#include "walk/base/probe.h"

enum { PAGE = 4096, INSTRUCTION_MAX = 15 };

static bool region_holds(const struct region *region, uint64_t pc)
{
    return region->start <= pc && pc < region->end;
}

static const struct region *region_find(const struct regions *regions, uint64_t pc)
{
    uint32_t low = 0, high = regions->n, last = __atomic_load_n(&regions->last, __ATOMIC_RELAXED);
    if (last < regions->n && region_holds(&regions->at[last], pc))
        return &regions->at[last];
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (regions->at[middle].end <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    const struct region *region = &regions->at[low];
    return low < regions->n && region->start <= pc ? region : NULL;
}

/* What is left of it where it may be gone: an instruction may lie on two pages. */
static size_t room_probed(const struct region *region, uint64_t pc)
{
    size_t room = region->end - pc, left = PAGE - pc % PAGE;
    if (!probe_readable(pc))
        return 0;
    return room > left && left < INSTRUCTION_MAX && !probe_readable(pc + left) ? left : room;
}

static inline size_t room_there(const struct regions *regions, const struct region *region,
                                uint64_t pc)
{
    return regions->untold ? room_probed(region, pc) : region->end - pc;
}

bool regions_hold(const struct regions *regions, uint64_t pc)
{
    const struct region *region = region_find(regions, pc);
    return region && region->refusal == LOSS_N;
}

size_t regions_peek(const struct regions *regions, uint64_t pc)
{
    const struct region *region = region_find(regions, pc);
    return region && region->refusal == LOSS_N && region->kind == REGION_LASTING
               ? room_there(regions, region, pc)
               : 0;
}

size_t regions_room(struct regions *regions, uint64_t pc, enum region_kind *ret_kind,
                    uint32_t *ret_refusal)
{
    const struct region *region = region_find(regions, pc);
    if (!region && regions->refresh) {
        regions->refresh(regions);
        region = region_find(regions, pc);
    }
    if (!region) {
        *ret_refusal = LOSS_at_anonymous;
        return 0;
    }
    __atomic_store_n(&regions->last, (uint32_t)(region - regions->at), __ATOMIC_RELAXED);
    *ret_refusal = region->refusal;
    *ret_kind = region->kind;
    size_t room = region->refusal == LOSS_N ? room_there(regions, region, pc) : 0;
    if (!room && region->refusal == LOSS_N)
        *ret_refusal = LOSS_at_anonymous;
    return room;
}

bool regions_restarts(const struct regions *regions, uint64_t pc, uint64_t next)
{
    for (uint32_t i = 0; i < regions->n_sequences; i++)
        if (next >= regions->sequences[i].start && pc < regions->sequences[i].end)
            return true;
    return false;
}
