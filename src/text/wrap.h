/* Breaks lines that are wider than a terminal between words, and indents what goes on.
 *
 * For prose: tables are squeezed to their terminal before (text/sheet.h). */
#pragma once

#include "base/bytes.h"

#include <stddef.h>

/* Adds a line, which does not end with '\n', to `to`, with its '\n'. Commands to be typed are left
 * as they are: lines of "gait" behind spaces. Colours take no room. indent: of what goes on, beyond
 * the line's own. */
void wrap_line(struct bytes *to, const char *line, size_t n, int columns, int indent);
