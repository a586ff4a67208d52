#include "gcov/objects.h"

#include "base/err.h"
#include "gcov/find.h"

#include <stdlib.h>
#include <string.h>

static bool notes_find(struct file_list *paths, struct arena *arena, const char *where,
                       struct err *err)
{
    if (!file_list_find(paths, arena, where, ".gcno", err))
        return false;
    return paths->n ||
           err_set(err, ERR_MISSING,
                   "%s: no .gcno files there: compile the program once more, with the flags that "
                   "it has and -fprofile-use -ftest-coverage -Wno-missing-profile, and gcc leaves "
                   "one beside each object",
                   where);
}

/* ---- functions by name */

static int function_order(const void *a, const void *b, void *context)
{
    const struct objects *objects = context;
    const struct object_function *x = a, *y = b;
    int order = strcmp(objects_function(objects, *x)->name, objects_function(objects, *y)->name);
    if (order)
        return order;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

static void functions_list(struct objects *objects)
{
    for (uint32_t o = 0; o < objects->n; o++)
        for (uint32_t f = 0; f < objects->at[o].notes.functions.n; f++)
            *vec_push(&objects->functions) = (struct object_function){o, f};
    if (objects->functions.n)
        qsort_r(objects->functions.at, objects->functions.n, sizeof *objects->functions.at,
                function_order, objects);
}

size_t objects_find(const struct objects *objects, const char *name, size_t *ret_first)
{
    const struct object_functions *functions = &objects->functions;
    size_t low = 0, high = functions->n, end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(objects_function(objects, functions->at[middle])->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < functions->n;)
        if (strcmp(objects_function(objects, functions->at[end])->name, name) == 0)
            end++;
        else
            break;
    *ret_first = low;
    return end - low;
}

struct object_function objects_first(const struct objects *objects, struct object_function one)
{
    const struct notes_function *function = objects_function(objects, one);
    size_t first, n = objects_find(objects, function->name, &first);
    for (size_t i = 0; i < n; i++) {
        struct object_function other = objects->functions.at[first + i];
        const struct notes_function *same = objects_function(objects, other);
        if (same->ident == function->ident && same->cfg_checksum == function->cfg_checksum &&
            same->lineno_checksum == function->lineno_checksum)
            return other;
    }
    return one;
}

/* ---- all */

static void groups_make(struct object *object, size_t i)
{
    const struct notes_function *function = &object->notes.functions.at[i];
    const struct dumped_function *dumped = dumped_find(&object->dumped, function->name);
    struct block_places places = {0};
    if (dumped)
        block_places_find(&places, function, dumped);
    line_groups_make(&object->groups[i], function, &places);
    vec_release(&places);
}

static void object_add(struct objects *objects, const char *path)
{
    struct object object = {.path = path};
    struct err err;
    if (!notes_read(&object.notes, path, &err)) {
        if (!objects->unreadable++) {
            objects->why = arena_alloc(&objects->arena, sizeof err);
            *objects->why = err;
        }
        return;
    }
    size_t n = object.notes.functions.n;
    object.groups = mem_alloc((n + 1) * sizeof *object.groups);
    dumped_read(&object.dumped, path);
    for (size_t i = 0; i < n; i++)
        groups_make(&object, i);
    valued_read(&object.valued, path);
    *vec_push(objects) = object;
}

bool objects_read(struct objects *objects, const char *where, struct err *err)
{
    struct objects result = {0};
    struct file_list paths = {0};
    bool ok = notes_find(&paths, &result.arena, where, err);
    for (size_t i = 0; ok && i < paths.n; i++)
        object_add(&result, paths.at[i]);
    vec_release(&paths);
    if (ok && !result.n) {
        *err = *result.why;
        ok = false;
    }
    if (!ok) {
        objects_release(&result);
        return false;
    }
    functions_list(&result);
    *objects = result;
    return true;
}

void objects_release(struct objects *objects)
{
    for (size_t i = 0; i < objects->n; i++) {
        for (size_t f = 0; f < objects->at[i].notes.functions.n; f++)
            line_groups_release(&objects->at[i].groups[f]);
        mem_free(objects->at[i].groups);
        valued_release(&objects->at[i].valued);
        dumped_release(&objects->at[i].dumped);
        notes_release(&objects->at[i].notes);
    }
    vec_release(&objects->functions);
    vec_release(objects);
    arena_release(&objects->arena);
    *objects = (struct objects){0};
}
