/* What the files of a report share. */
#pragma once

#include "analysis/report/report.h"

/* What a row is sorted by, in units of its own. */
uint64_t report_weight(const struct report *report, const struct report_row *row);
/* Stubs of the PLT become part of what they lead to: rows of functions and calls. */
void report_fold_stubs(struct report *report);
/* Adds rows of the kernel, if they are wanted and there are any. */
void report_rank_both(struct report *report, const struct report_options *options);
