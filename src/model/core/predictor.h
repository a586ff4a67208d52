/* Which way branches are guessed to go: tables by address and history for conditional ones (the
 * longest history that knows the branch decides), targets by address and history for indirect ones,
 * a stack for returns. */
#pragma once

#include "model/core/insn.h"
#include "model/core/times.h"

struct predictor;

struct predictor *predictor_make(const struct model *model);
void predictor_free(struct predictor *predictor);
void predictor_copy(struct predictor *to, const struct predictor *from);

/* Guesses, then learns what it did. CORE_MISPREDICT, CORE_NEW_TARGET (the guess was right, but
 * fetch did not know of it until the instruction was decoded), CORE_TAKEN. The guess is that of an
 * indirect target or a return, 0 for others. */
uint32_t predictor_see(struct predictor *predictor, const struct core_insn *insn,
                       const struct core_fact *fact, uint64_t *ret_guess);
/* The last conditional branches, the newest lowest: 1 was taken. */
uint64_t predictor_history(const struct predictor *predictor);
