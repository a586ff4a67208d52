/* Misses that profiling itself causes: of a program whose loads would all be near. */
#pragma once

#include "lab/lab.h"

extern const struct lab_table lab_misses;
