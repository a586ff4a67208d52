/* Functions that BOLT left as they were, though they ran. It says so only if it is asked to say
 * more, and a program whose hottest function is among them gains less than it could. */
#pragma once

struct arena;

/* A sentence, made from what `llvm-bolt -v=1` said and the counts that it was given; NULL: nothing
 * that matters was left. */
const char *optimize_left(struct arena *arena, const char *log, const char *fdata);
