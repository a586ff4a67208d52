/* The frames of a plain profile's stacks as functions of the source: a place in inlined code has
 * one frame per inlined function.
 *
 * Functions are numbered: first those of the plain profile, with their own numbers, then inlined
 * ones. An inlined copy is another function than the one that can be called. */
#pragma once

#include "analysis/report/plain.h"

struct context_function {
    uint32_t module;  /* of the scene, MODULE_NONE: of none */
    uint64_t start;   /* svma; 0: not known, or inlined */
    const char *name; /* as linked */
    bool inlined, kernel, python;
};

struct context_frame {
    uint32_t function;
    const char
        *file; /* where in the function: the line that runs, or that calls; NULL: not known */
    uint32_t line;
};

struct context_frames {
    const struct plain *plain;
    struct context_functions {
        VEC(struct context_function);
    } functions;
    struct map inlined; /* {module, name, file} -> function, less those that are not inlined */
    /* Frames of node i of the stacks: from list.at[first_of[i]] to before list.at[first_of[i + 1]],
     * the outermost first. A root has none. */
    uint32_t *first_of;
    struct context_frame_list {
        VEC(struct context_frame);
    } list;
};

/* The plain profile must outlive the frames. inlines: else every place is one frame. */
void context_frames_make(struct context_frames *frames, const struct plain *plain, bool inlines);
void context_frames_release(struct context_frames *frames);
