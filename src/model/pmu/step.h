/* One instruction that was fetched, with the times that a model of a core gave it: what units that
 * watch a core are shown, one after the other.
 *
 * They come in the order of fetch: those of a way that was wrongly gone stand behind their branch,
 * before what ran in truth. Fetch never goes back; among those that retire, retirement does not
 * either. */
#pragma once

#include "model/core/core.h"
#include "model/core/insn.h"

struct pmu_step {
    const struct core_insn *insn;
    const struct core_fact *fact;
    const struct core_times *times; /* of an aborted one: as core_wrong tells them */
    uint64_t history;               /* core_history when it was fetched */
    bool aborted;
};

/* When it left the core, by whichever way. */
static inline uint64_t pmu_step_end(const struct pmu_step *step)
{
    return step->aborted ? step->times->redirect : step->times->retire;
}
