#include "core/stores.h"

#include "core/hierarchy.h"

static uint32_t slot_of(uint64_t granule)
{
    return (uint32_t)(granule * 0x9e3779b97f4a7c15u >> (64 - STORED_LOG2));
}

static struct stored *stored_find(struct core *core, uint64_t granule)
{
    struct stored *stored = &core->stored[slot_of(granule)];
    return stored->bytes && stored->granule == granule ? stored : NULL;
}

static bool has(const struct stored *stored, uint64_t begin, uint64_t end)
{
    return stored->address <= begin && stored->address + stored->bytes >= end;
}

uint64_t stores_forward(struct core *core, const struct core_insn *insn,
                        const struct core_fact *fact, struct core_times *times)
{
    const struct model *model = core->model;
    uint64_t begin = fact->address.v, end = begin + insn->memory_bytes, value = 0;
    bool fp = insn->flags & INSN_FP_DATA;
    for (uint64_t granule = begin >> 3; granule <= (end - 1) >> 3; granule++) {
        struct stored *stored = stored_find(core, granule);
        if (!stored || stored->drained <= times->dispatch || stored->address >= end ||
            stored->address + stored->bytes <= begin)
            continue;
        if (has(stored, begin, end) && stored->stack && insn->flags & INSN_STACK &&
            model->rename_stack && !fp) {
            times->events |= CORE_FORWARDED;
            stored->forwarded = true;
            return stored->value > times->dispatch ? stored->value : times->dispatch;
        }
        if (stored->drained <= times->load_issue)
            continue;
        bool whole = has(stored, begin, end);
        uint64_t time = whole ? stored->data + (fp ? model->forward_fp : model->forward)
                              : stored->drained + model->load_int + model->forward_fail;
        stored->forwarded |= whole;
        times->events |= whole ? CORE_FORWARDED : CORE_FORWARD_FAIL;
        value = time > value ? time : value;
    }
    if (value > times->load_complete)
        times->load_complete = value;
    return times->load_complete;
}

/* When it leaves: two that lie in one window leave together, unless their line has another name, too. */
static uint64_t drain(struct core *core, uint64_t window, uint64_t earliest, bool alone)
{
    const struct model *model = core->model;
    uint64_t time = earliest;
    if (time <= core->drained) {
        bool joins =
            window == core->drain_window && core->drain_used < model->store_width && !alone;
        time = joins ? core->drained : core->drained + 1;
    }
    core->drain_used = alone                   ? model->store_width
                       : time == core->drained ? core->drain_used + 1
                                               : 1;
    core->drained = time;
    core->drain_window = window;
    return time;
}

void stores_note(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                 const struct store_times *times, uint64_t retire, uint32_t *events)
{
    const struct model *model = core->model;
    uint64_t begin = fact->address.v, end = begin + insn->memory_bytes;
    struct hierarchy_access access = {begin, fact->physical ? fact->physical : begin,
                                      insn->memory_bytes, times->address};
    uint32_t seen = 0;
    uint64_t earliest = hierarchy_data(core->hierarchy, &access, 0, &seen);
    bool synonym = seen & CORE_SYNONYM;
    if (earliest <= retire)
        earliest = retire + 1;
    /* What will be loaded while it waits leaves alone, too. That comes later: the last time here tells. */
    const struct stored *last = stored_find(core, begin >> 3);
    bool alone = synonym || (last && last->forwarded && model->forward_alone);
    uint64_t drained = drain(core, begin / model->store_window, earliest, alone);
    *events |= seen;
    for (uint64_t granule = begin >> 3; granule <= (end - 1) >> 3; granule++)
        core->stored[slot_of(granule)] = (struct stored){.granule = granule,
                                                         .address = begin,
                                                         .value = times->value,
                                                         .data = times->data,
                                                         .drained = drained,
                                                         .bytes = insn->memory_bytes,
                                                         .stack = insn->flags & INSN_STACK};
    queue_take(&core->store_queue, drained);
}
