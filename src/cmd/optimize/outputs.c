#include "cmd/optimize/outputs.h"

#include "base/err.h"
#include "base/memory.h"
#include "cmd/optimize/trial.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct output {
    const char *path;
    const char *before; /* what goes back there; NULL: nothing was there */
};

bool outputs_begin(struct outputs *outputs, struct arena *arena, const char *path, struct err *err)
{
    const char *old = arena_format(arena, "%s.old", path);
    bool there = access(path, F_OK) == 0;
    if (there && rename(path, old) < 0)
        return err_errno(err, "cannot move %s to %s", path, old);
    *vec_push(outputs) = (struct output){arena_string(arena, path), there ? old : NULL};
    return true;
}

bool outputs_replace(struct outputs *outputs, struct arena *arena, const char *path,
                     const char *copy, struct err *err)
{
    if (!outputs_begin(outputs, arena, copy, err) || !file_copy(path, copy, err))
        return false;
    *vec_push(outputs) = (struct output){arena_string(arena, path), arena_string(arena, copy)};
    return true;
}

void outputs_made(struct outputs *outputs, struct arena *arena, const char *path,
                  const char *before)
{
    *vec_push(outputs) =
        (struct output){arena_string(arena, path), before ? arena_string(arena, before) : NULL};
}

void outputs_keep(struct outputs *outputs)
{
    vec_release(outputs);
}

void outputs_undo_after(struct outputs *outputs, size_t first)
{
    while (outputs->n > first) {
        const struct output *output = &outputs->at[--outputs->n];
        if (output->before)
            rename(output->before, output->path);
        else
            unlink(output->path);
    }
}

void outputs_undo(struct outputs *outputs)
{
    outputs_undo_after(outputs, 0);
    vec_release(outputs);
}
