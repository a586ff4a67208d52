/* Overlap of two sets of counts on gcc's own graphs: the sum over keys of the smaller share.
 * Missing keys count as zero. */
#pragma once

#include "gcov/counts.h"
#include "gcov/notes.h"

struct err;

enum alike_by { ALIKE_ARCS, ALIKE_BLOCKS, ALIKE_FUNCTIONS };
enum { ALIKE_SIDES = 2 };

/* One key: an arc, a block (to: itself) or a function (both 0). */
struct alike_row {
    uint32_t function; /* of alike.names */
    uint32_t from, to;
    uint64_t counts[ALIKE_SIDES];
};

struct alike {
    struct arena arena;
    struct alike_names {
        VEC(const char *); /* "object: function" */
    } names;
    struct alike_rows {
        VEC(struct alike_row); /* keys that either side counted */
    } rows;
    size_t without_notes; /* files that could not be compared */
    size_t strangers;     /* functions of counts that the notes lack, or have in another shape */
    uint64_t totals[ALIKE_SIDES];
    double overlap;
    double matched[ALIKE_SIDES]; /* share of a side's weight in keys that the other side counted */
};

/* Two .gcda files or folders: files of the same name are compared. Notes are searched beside either
 * file. */
bool alike_compare(struct alike *alike, const char *const paths[ALIKE_SIDES], enum alike_by by,
                   struct err *err);
void alike_release(struct alike *alike);
