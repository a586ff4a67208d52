/* The source lines of an annotated function, with what each costs. */
#pragma once

#include "analysis/report/annotate.h"

struct annotated_line {
    uint32_t file; /* index in annotation->files */
    uint32_t line;
    uint32_t instructions; /* whose own line it is; 0: calls that were inlined there */
    /* Of these instructions; count: of the busiest. */
    struct estimate share, time, count;
    struct estimate total, total_time; /* with what was inlined there */
};

struct annotated_lines {
    VEC(struct annotated_line); /* by file, line */
};

void annotated_lines_make(struct annotated_lines *lines, const struct annotation *annotation);
