/* Where instructions come from: lines of the instruction cache through the decoders, or operations
 * that were decoded before.
 *
 * Fetch goes along the way that branches took. Behind a taken branch it goes on in the next cycle,
 * later if its target was not known; behind a wrong guess, when the branch is done
 * (core->redirect). */
#pragma once

#include "model/core/state.h"

struct front *front_make(const struct model *model);
void front_free(struct front *front);
void front_copy(struct front *to, const struct front *from);

/* When the last of so many operations of an instruction is fetched; and cycles from there to
 * dispatch. */
uint64_t front_fetch(struct core *core, const struct core_fact *fact, const struct core_insn *insn,
                     uint32_t slots, uint32_t *ret_depth, uint32_t *events);
/* The instruction was a taken branch. */
void front_taken(struct core *core, uint32_t events);
