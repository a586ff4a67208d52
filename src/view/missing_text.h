/* Modules whose functions or lines a report could not name, and where to get the names. */
#pragma once

#include <stdio.h>

struct json;
struct report;

/* Nothing if nothing that matters is missing. */
void missing_text(FILE *to, const struct report *report);
/* The same as a list, "missing". */
void missing_json(struct json *json, const struct report *report);

/* The share of the report's weight in code without a name, or for reports by line without a line.
 */
double missing_share(const struct report *report);
