/* What several instructions of an annotated function cost together: of a line, of a block. */
#pragma once

#include "analysis/report/annotate.h"

struct annotated_sum {
    struct quantity walked; /* zero in a plain profile */
    struct groups plain;    /* zero in others */
};

/* Adds the i-th of the annotation's instructions. */
void annotated_sum_add(struct annotated_sum *sum, const struct annotation *annotation, size_t i);

/* Of all that the report weighs, and seconds of user CPU time. What the profile does not have is
 * not a number. */
struct estimate annotated_sum_share(const struct annotated_sum *sum,
                                    const struct annotation *annotation);
struct estimate annotated_sum_time(const struct annotated_sum *sum,
                                   const struct annotation *annotation);
