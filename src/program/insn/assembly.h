/* Instructions as text, through Zydis's formatter. */
#pragma once

#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>

struct image;

enum assembly_syntax { ASSEMBLY_ATT, ASSEMBLY_INTEL };

/* What to write for an address that the instruction names: a label, a function. NULL: the number.
 */
typedef const char *assembly_name(void *context, struct svma at);

/* False: no whole instruction there, or no room for its text. `name` may be NULL. */
bool assembly_text(const struct image *image, struct svma at, enum assembly_syntax syntax,
                   assembly_name *name, void *context, char *text, size_t room);
