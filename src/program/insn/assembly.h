/* Instructions as text, through Zydis's formatter. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>

struct image;

enum assembly_syntax { ASSEMBLY_ATT, ASSEMBLY_INTEL };

/* The name (label, function) to print for an address in an operand. NULL: print the number. */
typedef const char *assembly_name(void *context, struct svma at);

/* False: there is no whole instruction, or the text does not fit. `name` may be NULL. */
bool assembly_text(const struct image *image, struct svma at, enum assembly_syntax syntax,
                   assembly_name *name, void *context, char *text, size_t room);
