/* A core at work: one instruction after the other, in the order in which the program runs them,
 * gets the time of each of its stages. One pass: what an instruction meets depends only on what
 * came before it.
 *
 * Times are cycles from the core's start. For each instruction fetch <= dispatch <= ready <= issue
 * <= complete < retire, and retirement never goes back. Known to be left out: caches are touched in
 * program order, not in that of issue. */
#pragma once

#include "model/core/times.h"

#include <stdbool.h>
#include <stdint.h>

struct core;
struct core_insn;
struct model;

struct core *core_make(const struct model *model);
void core_free(struct core *core);
/* Makes one what the other is: the same steps give the same times from here on. Both are of one
 * model. */
void core_copy(struct core *to, const struct core *from);

void core_step(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
               struct core_times *ret_times);
/* Behind a step with CORE_MISPREDICT: one instruction after the other of the way that was wrongly
 * gone. Stages that it did not come to before it was thrown away are 0, and so is retire; redirect
 * is when it was thrown away. It takes nothing from those that retire but what it leaves in caches.
 * False: fetch did not come that far. */
bool core_wrong(struct core *core, const struct core_insn *insn, const struct core_fact *fact,
                struct core_times *ret_times);
/* Between two windows: all in flight retires, and fetch goes on so many cycles later. Caches and
 * guesses stay. */
void core_gap(struct core *core, uint64_t cycles);
/* Where a line of data was before a window that uses it: 1, 2, 3, the levels of caches; 4: memory.
 */
void core_place(struct core *core, struct avma address, uint32_t level);
/* The last conditional branches that were fetched, the newest lowest: 1 was taken. */
uint64_t core_history(const struct core *core);
