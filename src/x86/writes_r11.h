/* Whether an instruction may write %r11: then copies must store it in its slot
 * (walk/base/context.h). */
#pragma once

#include "x86/insn.h"

/* True for a few that do not. Not of branches and system calls. */
bool insn_writes_r11(const struct insn *insn);
