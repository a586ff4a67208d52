#include "model/core/stores.h"

#include "model/core/hierarchy.h"

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

/* What renaming can compare without knowing an address: how it is written, and which values of
 * which registers it has. */
static uint32_t name_of(const struct core *core, const struct core_insn *insn)
{
    uint32_t name = insn->slot;
    for (uint8_t i = 0; i < insn->n_addresses; i++) {
        uint8_t reg = insn->addresses[i];
        name = (name ^ reg ^ core->writes[reg] << 7) * 0x9e3779b1u;
    }
    return name;
}

/* Whether the load takes the register that was stored, and never goes to memory. */
static bool is_renamed(const struct core *core, const struct core_insn *insn,
                       const struct core_fact *fact, const struct stored *stored)
{
    enum { RENAMED_LEAST = 4 }; /* bytes: what is narrower is put into what the register had */
    if (insn->n_ops > 1 || insn->flags & INSN_FP_DATA ||
        (insn->memory_bytes < RENAMED_LEAST &&
         (insn->memory_bytes > 1 || !core->model->rename_narrow)))
        return false;
    if (core->model->rename_plain && (insn->flags & INSN_INDEXED || stored->indexed))
        return false;
    if (core->model->rename_stack && stored->stack && insn->flags & INSN_STACK)
        return true;
    if (insn->flags & INSN_PUSHES || (insn->flags & INSN_UPDATE && core->model->rename_not_update))
        return false;
    return core->model->rename_memory && stored->address == fact->address.v &&
           (core->model->rename_memory > 1 || stored->name == name_of(core, insn));
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
        if (has(stored, begin, end) && is_renamed(core, insn, fact, stored)) {
            times->events |= CORE_FORWARDED;
            stored->forwarded = true;
            return stored->value > times->dispatch ? stored->value : times->dispatch;
        }
        if (stored->drained <= times->load_issue)
            continue;
        bool whole = has(stored, begin, end) || fact->changes & CHANGE_FORWARDED;
        uint64_t time = whole ? stored->data + (fp ? model->forward_fp : model->forward)
                        : model->forward_part && stored->address == begin
                            ? stored->data + model->forward_part
                            : stored->drained + model->load_int + model->forward_fail;
        stored->forwarded |= whole;
        times->events |= whole ? CORE_FORWARDED : CORE_FORWARD_FAIL;
        value = time > value ? time : value;
    }
    if (value > times->load_complete)
        times->load_complete = value;
    return times->load_complete;
}

/* Cycles more that a store takes which lies in two windows, or in two pages. */
static uint32_t split_cycles(const struct model *model, uint64_t begin, uint64_t end)
{
    enum { PAGE = 4096 };
    uint64_t apart = begin ^ (end - 1);
    if (apart / PAGE)
        return model->store_page;
    return apart & -(uint64_t)model->store_window ? model->store_split : 0;
}

/* When it leaves: two that lie in one window leave together, unless their line has another name,
 * too. */
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
    /* What will be loaded while it waits leaves alone, too. That comes later: the last time here
     * tells. */
    const struct stored *last = stored_find(core, begin >> 3);
    bool alone =
        (synonym && model->synonym_alone) || (last && last->forwarded && model->forward_alone);
    uint64_t drained = drain(core, begin & -(uint64_t)model->store_window, earliest, alone);
    uint32_t more = split_cycles(model, begin, end);
    if (synonym && seen & CORE_L1D_MISS)
        more += model->synonym_store;
    if (more) {
        /* The last window that it wrote is open for those behind it. */
        core->drained = drained += more;
        core->drain_window = (end - 1) & -(uint64_t)model->store_window;
        core->drain_used = 1;
    }
    *events |= seen;
    for (uint64_t granule = begin >> 3; granule <= (end - 1) >> 3; granule++)
        core->stored[slot_of(granule)] =
            (struct stored){.granule = granule,
                            .address = begin,
                            .value = times->value,
                            .data = times->data,
                            .drained = drained,
                            .name = model->rename_memory ? name_of(core, insn) : 0,
                            .bytes = insn->memory_bytes,
                            .stack = insn->flags & INSN_STACK,
                            .indexed = insn->flags & INSN_INDEXED};
    queue_take(&core->store_queue, drained);
}
