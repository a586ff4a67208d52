#include "core/stores.h"

static uint32_t slot_of(uint64_t granule)
{
    return (uint32_t)(granule * 0x9e3779b97f4a7c15u >> (64 - STORED_LOG2));
}

static const struct stored *stored_find(const struct core *core, uint64_t granule)
{
    const struct stored *stored = &core->stored[slot_of(granule)];
    return stored->bytes && stored->granule == granule ? stored : NULL;
}

void stores_forward(const struct core *core, const struct core_insn *insn,
                    const struct core_fact *fact, struct core_times *times)
{
    const struct model *model = core->model;
    uint64_t begin = fact->address.v, end = begin + insn->memory_bytes;
    for (uint64_t granule = begin >> 3; granule <= (end - 1) >> 3; granule++) {
        const struct stored *stored = stored_find(core, granule);
        if (!stored || stored->drained <= times->load_issue || stored->address >= end ||
            stored->address + stored->bytes <= begin)
            continue;
        bool whole = stored->address <= begin && stored->address + stored->bytes >= end;
        uint64_t time;
        if (!whole) {
            times->events |= CORE_FORWARD_FAIL;
            time = stored->drained + model->load_int + model->forward_fail;
        } else {
            times->events |= CORE_FORWARDED;
            bool fp = insn->flags & INSN_FP_DATA;
            uint32_t cycles = fp ? model->forward_fp : model->forward;
            if (model->forward_stack && stored->stack && insn->flags & INSN_STACK && !fp)
                cycles = model->forward_stack;
            time = stored->data + cycles;
        }
        if (time > times->load_complete)
            times->load_complete = time;
    }
}

static uint64_t drain(struct core *core, uint64_t line, uint64_t retire)
{
    uint64_t time = retire + 1;
    if (time <= core->drained) {
        bool joins = line == core->drain_line && core->drain_used < core->model->store_lines;
        time = joins ? core->drained : core->drained + 1;
    }
    core->drain_used = time == core->drained ? core->drain_used + 1 : 1;
    core->drained = time;
    core->drain_line = line;
    return time;
}

void stores_note(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                 uint64_t data, uint64_t retire)
{
    uint64_t begin = fact->address.v, end = begin + insn->memory_bytes;
    uint64_t drained = drain(core, begin / core->model->line_bytes, retire);
    for (uint64_t granule = begin >> 3; granule <= (end - 1) >> 3; granule++)
        core->stored[slot_of(granule)] = (struct stored){.granule = granule,
                                                         .address = begin,
                                                         .data = data,
                                                         .drained = drained,
                                                         .bytes = insn->memory_bytes,
                                                         .stack = insn->flags & INSN_STACK,
                                                         .fp = insn->flags & INSN_FP_DATA};
    queue_take(&core->store_queue, drained);
}
