/* What takes long just now, for whoever shows progress. Set by those who do the work, on any
 * thread; the last word counts. */
#pragma once

#include <stdint.h>

enum { PHASE_TEXT = 160 };

struct phase {
    char text[PHASE_TEXT]; /* "": nothing was said */
    uint64_t done, all;    /* parts; all 0: not known */
};

/* "reading debug information of" a file. `of` may be NULL. A file's name is enough of its path. */
void phase_set(const char *what, const char *of);
/* So many of all parts of the phase are done. */
void phase_parts(uint64_t done, uint64_t all);
void phase_get(struct phase *ret_phase);
