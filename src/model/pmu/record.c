#include "model/pmu/record.h"

static void stage_set(struct sample *sample, enum sample_field field, uint64_t fetch, uint64_t time)
{
    if (time)
        sample_set(sample, field, time - fetch);
}

/* A branch that was aborted was never resolved: nobody knows where it would have gone. */
/* Which resource it had to wait for before it was renamed. */
static void conflict_events(const struct pmu_step *step, struct sample *sample)
{
    static const struct {
        enum core_wait wait;
        enum sample_event event;
    } conflicts[] = {{WAIT_ROB, EVENT_ROB_FULL},
                     {WAIT_LOADS, EVENT_LOADS_FULL},
                     {WAIT_STORES, EVENT_STORES_FULL},
                     {WAIT_REGISTERS, EVENT_NO_REGISTER},
                     {WAIT_SCHEDULER, EVENT_SCHEDULER_FULL},
                     {WAIT_ALONE, EVENT_ALONE}};
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts && step->times->dispatch; i++)
        sample_event(sample, conflicts[i].event, step->times->wait == conflicts[i].wait);
}

static void branch_events(const struct pmu_step *step, struct sample *sample)
{
    uint8_t kind = step->insn->kind;
    bool resolved = kind == INSN_PLAIN || !step->aborted;
    sample_event(sample, EVENT_BRANCH, kind != INSN_PLAIN);
    sample_event(sample, EVENT_CONDITIONAL, kind == INSN_COND);
    sample_event(sample, EVENT_INDIRECT, kind == INSN_INDIRECT || kind == INSN_CALL_INDIRECT);
    sample_event(sample, EVENT_RETURN, kind == INSN_RETURN);
    if (!resolved)
        return;
    sample_event(sample, EVENT_TAKEN, kind != INSN_PLAIN && step->fact->taken);
    sample_event(sample, EVENT_MISPREDICTED, step->times->events & CORE_MISPREDICT);
    if (kind != INSN_PLAIN)
        sample_set(sample, SAMPLE_TARGET, step->fact->next.v);
}

static enum sample_source source_of(uint32_t events)
{
    if (events & CORE_L3_MISS)
        return SOURCE_MEMORY;
    if (events & CORE_L2_MISS)
        return SOURCE_L3;
    return events & CORE_L1D_MISS ? SOURCE_L2 : SOURCE_L1;
}

static void memory_set(const struct pmu_step *step, struct sample *sample)
{
    const struct core_times *times = step->times;
    uint32_t events = times->events;
    bool load = step->insn->flags & INSN_LOAD, store = step->insn->flags & INSN_STORE;
    sample_event(sample, EVENT_LOAD, load);
    sample_event(sample, EVENT_STORE, store);
    sample_event(sample, EVENT_L1_MISS, events & CORE_L1D_MISS);
    sample_event(sample, EVENT_L2_MISS, events & CORE_L2_MISS);
    sample_event(sample, EVENT_L3_MISS, events & CORE_L3_MISS);
    sample_event(sample, EVENT_TLB_MISS, events & CORE_DTLB_MISS);
    sample_event(sample, EVENT_FORWARDED, events & CORE_FORWARDED);
    sample_event(sample, EVENT_BLOCKED, events & CORE_FORWARD_FAIL);
    if ((load || store) && step->fact->address.v) {
        sample_set(sample, SAMPLE_DATA, step->fact->address.v);
        sample_set(sample, SAMPLE_BYTES, step->insn->memory_bytes);
    }
    if (!load || !times->load_complete)
        return;
    uint64_t took = times->load_complete - times->load_issue;
    sample_set(sample, SAMPLE_MEMORY, took);
    sample_set(sample, SAMPLE_SOURCE, source_of(events));
    if (events & CORE_L1D_MISS)
        sample_set(sample, SAMPLE_MISS, took);
}

void pmu_record(const struct pmu_step *step, uint64_t last_retire, uint32_t history_bits,
                struct sample *ret_sample)
{
    const struct core_times *times = step->times;
    struct sample sample = {0};
    uint64_t mask = history_bits < 64 ? ((uint64_t)1 << history_bits) - 1 : UINT64_MAX;
    sample_set(&sample, SAMPLE_PC, step->fact->at.v);
    sample_set(&sample, SAMPLE_ORIGIN, ORIGIN_MODEL);
    sample_set(&sample, SAMPLE_TICKS, times->fetch);
    sample_set(&sample, SAMPLE_HISTORY, step->history & mask);
    sample_set(&sample, SAMPLE_HISTORY_BITS, history_bits);
    sample_event(&sample, EVENT_RETIRED, !step->aborted);
    sample_event(&sample, EVENT_L1I_MISS, times->events & CORE_L1I_MISS);
    sample_event(&sample, EVENT_ITLB_MISS, times->events & CORE_ITLB_MISS);
    branch_events(step, &sample);
    conflict_events(step, &sample);
    memory_set(step, &sample);
    sample_set(&sample, SAMPLE_FETCH, 0);
    stage_set(&sample, SAMPLE_MAP, times->fetch, times->dispatch);
    stage_set(&sample, SAMPLE_READY, times->fetch, times->ready);
    stage_set(&sample, SAMPLE_ISSUE, times->fetch, times->issue);
    stage_set(&sample, SAMPLE_DONE, times->fetch, times->complete);
    stage_set(&sample, SAMPLE_RETIRE, times->fetch, times->retire);
    if (times->unit)
        sample_set(&sample, SAMPLE_UNIT, times->unit - 1);
    if (!step->aborted && last_retire != UINT64_MAX)
        sample_set(&sample, SAMPLE_RETIRE_GAP, times->retire - last_retire);
    *ret_sample = sample;
}
