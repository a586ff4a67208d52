/* The way that a wrong guess sent fetch, until the branch is done. */
#include "model/core/core.h"

#include "model/core/hierarchy.h"
#include "model/core/state.h"

static uint64_t sources_ready(const struct core *core, const uint8_t *registers, uint8_t n,
                              uint64_t time)
{
    for (uint8_t i = 0; i < n; i++)
        if (core->registers[registers[i]] > time)
            time = core->registers[registers[i]];
    return time;
}

/* What it loads is in the caches from then on, wrong or not. */
static void load_touch(struct core *core, const struct core_insn *insn,
                       const struct core_fact *fact, struct core_times *times)
{
    uint64_t at = fact->address.v;
    struct hierarchy_access access = {at, fact->physical ? fact->physical : at, insn->memory_bytes,
                                      times->issue};
    times->load_issue = times->issue;
    times->load_complete =
        hierarchy_data(core->hierarchy, &access, core->model->load_int, &times->events);
}

bool core_wrong(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                struct core_times *ret_times)
{
    struct core_times times = {.redirect = core->wrong.until};
    uint64_t until = core->wrong.until;
    for (uint8_t i = 0; i < insn->slots; i++)
        times.fetch = stage_pass(&core->wrong.fetch, core->wrong.fetch.cycle);
    if (!insn->slots)
        times.fetch = core->wrong.fetch.cycle;
    if (times.fetch >= until)
        return false;
    times.dispatch = times.fetch + core->model->opcache_depth;
    if (times.dispatch >= until) {
        times.dispatch = 0;
        *ret_times = times;
        return true;
    }
    times.ready = sources_ready(core, insn->sources, insn->n_sources, times.dispatch + 1);
    times.ready = sources_ready(core, insn->addresses, insn->n_addresses, times.ready);
    times.issue = times.ready < until ? times.ready : 0;
    if (times.ready >= until)
        times.ready = 0;
    if (times.issue && insn->flags & INSN_LOAD && fact->address.v)
        load_touch(core, insn, fact, &times);
    uint64_t complete =
        times.load_complete ? times.load_complete + insn->cycles : times.issue + insn->cycles;
    times.complete = times.issue && complete < until ? complete : 0;
    *ret_times = times;
    return true;
}
