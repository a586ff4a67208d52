/* How a module's code leaves activations for good, in the middle of what they do: by longjmp, and
 * by exceptions. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>

struct image;
struct symbols;

enum module_leaving {
    MODULE_JUMPS_FAR = 1, /* it refers to longjmp */
    MODULE_THROWS = 2,    /* exceptions begin in it, or pass through it */
};

/* By the names that its dynamic symbols ask for. A static program has what its symbols name; one
 * without symbols may have all. */
unsigned module_leaving(const struct image *image);

/* Whether the stub that starts at exactly this address leads to a function that may throw: one of
 * C++, or of the unwinder. Functions of C in other modules are taken not to. */
bool stub_may_throw(const struct symbols *symbols, struct svma at);
