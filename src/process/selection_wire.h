/* Tells the agent of a process where to walk. */
#pragma once

#include "process/selection.h"
#include "wire/only.h"

/* Places only. If only classes of instructions are selected, the agent walks everywhere. */
void selection_tell(struct selection *selection, const struct mappings *mappings,
                    struct wire_only *to);
