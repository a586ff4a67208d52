/* The kinds of waste, what they are called, and what to do about each. */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>

/* The word of options and JSON. */
const char *waste_kind_name(enum waste_kind kind);
/* What it is, and what to do, in a line each. */
const char *waste_kind_text(enum waste_kind kind);
const char *waste_kind_fix(enum waste_kind kind);
bool waste_kind_parse(const char *name, enum waste_kind *ret_kind);
/* Whether the second of a pair is what need not run; else the first. */
bool waste_kind_of_second(enum waste_kind kind);
