/* Files that a command makes on the way to its result: all stay, or none.
 *
 * An existing file becomes FILE.old. If the command fails or is interrupted, everything is as it
 * was before. */
#pragma once

#include "base/vec.h"

#include <stdbool.h>

struct arena;
struct err;

struct outputs {
    VEC(struct output);
};

/* Before the command writes this file: moves an existing one away. */
bool outputs_begin(struct outputs *outputs, struct arena *arena, const char *path, struct err *err);
/* Before the command replaces this file: copies it, with its time, to `copy`, which is an output,
 * too. */
bool outputs_replace(struct outputs *outputs, struct arena *arena, const char *path,
                     const char *copy, struct err *err);

/* The command has written this file; `before` is a copy of the old one, NULL: there was none. */
void outputs_made(struct outputs *outputs, struct arena *arena, const char *path,
                  const char *before);

/* Keeps all of them. */
void outputs_keep(struct outputs *outputs);
/* Removes them and restores the old files. */
void outputs_undo(struct outputs *outputs);
/* The same for all but the first `first`. */
void outputs_undo_after(struct outputs *outputs, size_t first);
