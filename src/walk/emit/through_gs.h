/* Copies of instructions with an operand in %gs, in exact runs: %gs is the agent's there, so the
 * copy adds the program's own base (context.program_gs) to the address. Sampled walks refuse them.
 */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/step.h"

/* True if there is such a copy: of most that have one operand in memory and do not name %r11; and
 * of rdgsbase. The others are executed in place (shape.stepped). */
bool through_gs(const struct insn *insn);

/* The code before the instruction, with %r11 in its slot if through_gs_holds; the instruction; the
 * code after it. No flag changes. */
bool through_gs_holds(const struct insn *insn);
void through_gs_before(struct code_cursor *c, const struct step *step);
void through_gs_copy(struct code_cursor *c, const struct step *step);
void through_gs_after(struct code_cursor *c, const struct step *step);
