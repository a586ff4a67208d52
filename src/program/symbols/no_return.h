/* Which functions never come back to their caller: those of the C and C++ libraries that are
 * declared so. What follows a call of one is no code of its caller's path: padding, or another
 * block. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>

struct symbols;

/* Whether the function that is entered at exactly this address, or the stub there, is one. */
bool no_return_at(const struct symbols *symbols, struct svma at);
bool no_return_name(const char *name);
/* Whether it is one that may come back several times: setjmp and its kind. */
bool returns_twice_at(const struct symbols *symbols, struct svma at);
