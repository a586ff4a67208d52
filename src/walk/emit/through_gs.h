/* Instructions with an operand in %gs, in whole runs: %gs is ours there, so their copies add the
 * program's own base (context.program_gs) to the address themselves. Those of sampled walks stay
 * refused. */
#pragma once

#include "walk/emit/emit.h"
#include "walk/emit/step.h"

/* Whether there is such a copy: of most that have one operand in memory and do not name %r11; and
 * of rdgsbase. The others are executed where they stand (shape.stepped). */
bool through_gs(const struct insn *insn);

/* The code up to the instruction itself, with %r11 in its slot if through_gs_holds; then the
 * instruction; then the rest. No flag changes. */
bool through_gs_holds(const struct insn *insn);
void through_gs_before(struct code_cursor *c, const struct step *step);
void through_gs_copy(struct code_cursor *c, const struct step *step);
void through_gs_after(struct code_cursor *c, const struct step *step);
