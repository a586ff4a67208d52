/* What to look at first: a few sentences, each with the command to type next. Only what the data
 * say: a sentence stands there if its interval lies wholly on its side. */
#pragma once

#include <stdio.h>

struct ink;
struct report;

/* Nothing if there is nothing to say. */
void advice_text(FILE *to, const struct report *report, const struct ink *ink);
