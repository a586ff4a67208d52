/* What text and JSON both say of a loop. */
#pragma once

#include "analysis/loops/loop_view.h"

enum { LOOP_WORDS = 512 };

/* One reason as a line: "carries a value through memory over 4 iterations (100 % of them)". */
void loop_reason_words(char words[LOOP_WORDS], const struct loop_view *view,
                       const struct loop_row *row, const struct loop_reason *reason);
