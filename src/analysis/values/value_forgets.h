/* Instructions whose result does not depend on what they read: xor of a register with itself. */
#pragma once

#include <stdbool.h>

struct decoded;

bool value_forgets(const struct decoded *decoded);
