/* Functions that never return: those that the C and C++ libraries declare so. What follows a call
 * of one is not on its caller's path: it is padding or another block. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>

struct symbols;

/* Whether the function or stub that starts at exactly this address never returns. */
bool no_return_at(const struct symbols *symbols, struct svma at);
bool no_return_name(const char *name);
/* Whether it leaves frames for good: longjmp and its variants. */
bool jumps_far_at(const struct symbols *symbols, struct svma at);
bool jumps_far_name(const char *name);
/* Whether it calls back what it is given: qsort. */
bool calls_back_at(const struct symbols *symbols, struct svma at);
/* Whether it may return several times: setjmp and its variants. */
bool returns_twice_at(const struct symbols *symbols, struct svma at);
