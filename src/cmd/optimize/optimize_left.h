/* Hot functions that BOLT did not optimize. BOLT reports them only with -v=1; a program whose
 * hottest function is among them gains less than it could. */
#pragma once

struct arena;

/* A sentence, from the output of `llvm-bolt -v=1` and the counts that BOLT read; NULL: no hot
 * function was left out. */
const char *optimize_left(struct arena *arena, const char *log, const char *fdata);
