/* gait optimize: the result, as text or JSON on stdout. */
#pragma once

#include <stdbool.h>

struct gain;
struct optimize;

void optimize_text(const struct optimize *optimize, const struct gain *gain, bool compared);
void optimize_json(const struct optimize *optimize, const struct gain *gain, bool compared);
