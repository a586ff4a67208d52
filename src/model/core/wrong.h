/* The way that a wrong guess sent fetch, until the branch is done. */
#pragma once

#include "model/core/state.h"

/* The branch with these times was guessed wrongly. */
void wrong_begin(struct core *core, const struct core_times *branch);
