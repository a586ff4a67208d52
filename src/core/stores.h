/* Stores in flight: what leaves the store queue when, and which loads take their value from it. */
#pragma once

#include "core/state.h"

/* Puts the load's completion off to when the value is there, if a store that is not yet in the cache has it. */
void stores_forward(const struct core *core, const struct core_insn *insn,
                    const struct core_fact *fact, struct core_times *times);
/* A store whose value is there at `data` and that retires at `retire`. */
void stores_note(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                 uint64_t data, uint64_t retire);
