/* The notes of all compilations of a program. */
#pragma once

#include "gcov/lines.h"
#include "gcov/valued.h"

struct err;

#define OBJECT_NONE UINT32_MAX

struct object {
    const char *path; /* of its .gcno */
    struct notes notes;
    struct line_groups *groups; /* for each of its functions */
    struct valued_functions valued;
    struct dumped_functions dumped;
};

struct object_function {
    uint32_t object, function;
};

struct objects {
    struct arena arena;
    VEC(struct object); /* by path */
    struct object_functions {
        VEC(struct object_function); /* by name, then object */
    } functions;
    size_t unreadable; /* files that could not be read */
    struct err *why;   /* of the first of them; NULL: none */
};

/* Every .gcno below a folder, or the one file. If there is none, the error says how to make them.
 */
bool objects_read(struct objects *objects, const char *where, struct err *err);
void objects_release(struct objects *objects);

/* The functions with this linkage name: at[*ret_first] and the following; returns their number. */
size_t objects_find(const struct objects *objects, const char *name, size_t *ret_first);
/* The first of several copies that are one function for the linker and for gcc: C++ inline
 * functions are in many objects, and one copy survives. */
struct object_function objects_first(const struct objects *objects, struct object_function one);

static inline const struct notes_function *objects_function(const struct objects *objects,
                                                            struct object_function at)
{
    return &objects->at[at.object].notes.functions.at[at.function];
}
