/* Files that a command makes on the way to its result: all stay, or none.
 *
 * What was there before becomes FILE.old, and if the command fails or is told to stop, it is as if
 * it had not been started. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>

struct arena;
struct err;

struct outputs {
    VEC(struct output);
};

/* The command is going to write this file: what is there is moved away. */
bool outputs_begin(struct outputs *outputs, struct arena *arena, const char *path, struct err *err);
/* The command is going to replace this file: `copy` gets what it is, with its time, and is an
 * output, too. */
bool outputs_replace(struct outputs *outputs, struct arena *arena, const char *path,
                     const char *copy, struct err *err);

/* The command has written this file where none was, or with `before` (or NULL) for what was. */
void outputs_made(struct outputs *outputs, struct arena *arena, const char *path,
                  const char *before);

/* They stay. */
void outputs_keep(struct outputs *outputs);
/* They go, and what was there before is back. */
void outputs_undo(struct outputs *outputs);
/* The same of all but the first. */
void outputs_undo_after(struct outputs *outputs, size_t first);
