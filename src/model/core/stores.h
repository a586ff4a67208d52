/* Stores in flight: what leaves the store queue when, and which loads take their value from it. */
#pragma once

#include "model/core/state.h"

/* When the value of a load is there, if a store that is not yet in the cache has it: the load
 * completes then, or earlier if stack slots are renamed. */
uint64_t stores_forward(struct core *core, const struct core_insn *insn,
                        const struct core_fact *fact, struct core_times *times);
/* A store that retires at `retire`. */
struct store_times {
    uint64_t value;   /* when the register that it stores is there */
    uint64_t data;    /* when the store queue has value and address */
    uint64_t address; /* when the address is known: its line is asked for */
};
void stores_note(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                 const struct store_times *times, uint64_t retire, uint32_t *events);
