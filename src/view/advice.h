/* What a report says besides its rows. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct ink;
struct json;
struct report;

/* The first line, of a program that is mostly in the kernel or waits: rows of its own code would
 * mislead. */
void verdict_text(FILE *to, const struct report *report, const struct ink *ink);
/* What to look at first, with the command to type. False: nothing stands out. */
bool advice_text(FILE *to, const struct report *report, const struct ink *ink);
/* How far the figures can be trusted, and what would help. */
void limits_text(FILE *to, const struct report *report, const struct ink *ink);
/* All three, as lists "verdict", "advice" and "limits" of sentences with their commands, and
 * "missing" (missing_text.h). Commands do not name the file. */
void advice_json(struct json *json, const struct report *report);
