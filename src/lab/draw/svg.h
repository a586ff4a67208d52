/* Text in a drawing. */
#pragma once

#include <stdio.h>

/* `anchor`: start, middle or end. */
void svg_text(FILE *to, double x, double y, const char *anchor, const char *text);
