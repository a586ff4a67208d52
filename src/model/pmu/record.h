/* What profile registers hold of one instruction when it has left the core: a record
 * (records/sample.h). Module, weight and pair are for others to set; addresses of code are as the
 * core saw them. */
#pragma once

#include "model/pmu/step.h"
#include "records/sample.h"

/* last_retire: when the one before it, of those that retire, did so; UINT64_MAX: there was none. */
void pmu_record(const struct pmu_step *step, uint64_t last_retire, uint32_t history_bits,
                struct sample *ret_sample);
