/* Tells a process's agent where walks are wanted. */
#pragma once

#include "process/selection.h"
#include "wire/only.h"

/* Of places; where only sorts of instructions are selected, walks are wanted everywhere. */
void selection_tell(struct selection *selection, const struct mappings *mappings,
                    struct wire_only *to);
