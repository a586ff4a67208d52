/* What to look at first: a few sentences, each with the command to type next. A sentence is shown
 * only if the whole interval supports it. */
#pragma once

#include <stdio.h>

struct ink;
struct report;

/* Nothing if there is nothing to say. */
void advice_text(FILE *to, const struct report *report, const struct ink *ink);
