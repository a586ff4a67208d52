#include "keep/keep_python.h"

#include "base/bytes.h"
#include "keep/kept_function.h"
#include "keep/kept_module.h"
#include "keep/made_module.h"
#include "profile/profile.h"
#include "program/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* The first address of a function stands for no line, the next for its first line, and so on. */
enum { LINE_BITS = 16, LINES_MAX = (1 << LINE_BITS) - 1, START_BITS = 46 };

void python_functions_init(struct python_functions *functions)
{
    *functions = (struct python_functions){.module = MODULE_NONE};
    map_init(&functions->starts, sizeof(uint64_t));
    map_init(&functions->seen, sizeof(uint64_t));
}

void python_functions_release(struct python_functions *functions)
{
    map_release(&functions->starts);
    map_release(&functions->seen);
    vec_release(functions);
    arena_release(&functions->arena);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    while (*text++);
    return hash;
}

static bool is_function(const struct python_function *function, const char *name, const char *file,
                        uint32_t first_line)
{
    return function->first_line == first_line && strcmp(function->name, name) == 0 &&
           strcmp(function->file, file) == 0;
}

/* Two functions with one start are one in 10^5 recordings of a thousand functions; the later one
 * then gets the next. */
uint32_t python_functions_add(struct python_functions *functions, const char *name,
                              const char *file, uint32_t first_line)
{
    uint64_t hash = hash_text(hash_text(UINT64_C(0xcbf29ce484222325), name), file) + first_line;
    hash ^= hash >> 29;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    uint64_t start = hash >> (64 - START_BITS) & ~(uint64_t)LINES_MAX;
    for (;; start = (start + LINES_MAX + 1) & ((UINT64_C(1) << START_BITS) - 1)) {
        uint32_t index = map_add(&functions->starts, &start);
        if (index < functions->n) {
            if (is_function(&functions->at[index], name, file, first_line))
                return index;
            continue;
        }
        *vec_push(functions) =
            (struct python_function){.name = arena_string(&functions->arena, name),
                                     .file = arena_string(&functions->arena, file),
                                     .first_line = first_line,
                                     .start = start};
        return index;
    }
}

uint64_t python_functions_line(struct python_functions *functions, uint32_t index, uint32_t line)
{
    const struct python_function *function = &functions->at[index];
    uint64_t at = function->start;
    if (line >= function->first_line && line - function->first_line < LINES_MAX)
        at += 1 + line - function->first_line;
    map_add(&functions->seen, &at);
    return at;
}

/* ---- what is kept */

static void module_keep(const struct python_functions *functions, struct profile *profile,
                        struct bytes *bytes)
{
    struct kept_module module;
    made_module_init(&module, 1);
    *vec_push(&module.programs) = (Elf64_Phdr){.p_type = PT_LOAD,
                                               .p_flags = PF_R | PF_X,
                                               .p_memsz = UINT64_C(1) << START_BITS,
                                               .p_align = 1};
    kept_module_encode(&module, bytes);
    made_part_add(profile, functions->module, KEPT_MODULE, 0, bytes);
    kept_module_release(&module);
}

static int address_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

struct addresses {
    VEC(uint64_t);
};

/* Lines that were seen; what lies between was not. */
static void function_keep(const struct python_function *function, const struct addresses *seen,
                          size_t *at, struct kept_function *kept)
{
    kept_function_clear(kept);
    kept->start = function->start;
    kept->name = function->name;
    kept->source = FUNCTION_SYMBOL;
    kept->has_lines = true;
    *vec_push(&kept->ranges) = (struct kept_range){function->start, LINES_MAX + 1, NULL};
    *vec_push(&kept->files) = function->file;
    *vec_push(&kept->names) = function->name;
    *vec_push(&kept->nodes) = (struct kept_node){.name = 1, .decl_line = function->first_line};
    *vec_push(&kept->spans) = (struct kept_span){function->start, 1};
    *vec_push(&kept->lines) = (struct kept_line){function->start, 1, function->first_line, 0, 0};
    for (; *at < seen->n && seen->at[*at] - function->start <= LINES_MAX; ++*at)
        if (seen->at[*at] != function->start)
            *vec_push(&kept->lines) = (struct kept_line){
                seen->at[*at], 1,
                (uint32_t)(function->first_line + (seen->at[*at] - function->start - 1)), 0, 0};
}

static int start_order(const void *a, const void *b)
{
    const struct python_function *const *x = a, *const *y = b;
    return address_order(&(*x)->start, &(*y)->start);
}

void python_functions_keep(const struct python_functions *functions, struct profile *profile)
{
    struct addresses seen = {0};
    struct sorted {
        VEC(const struct python_function *);
    } sorted = {0};
    struct kept_function kept = {0};
    struct bytes bytes = {0};
    size_t at = 0;
    if (!functions->n || functions->module == MODULE_NONE)
        return;
    for (uint32_t i = 0; i < functions->seen.n; i++)
        memcpy(vec_push(&seen), map_key(&functions->seen, i), sizeof(uint64_t));
    for (size_t i = 0; i < functions->n; i++)
        *vec_push(&sorted) = &functions->at[i];
    if (seen.n)
        qsort(seen.at, seen.n, sizeof *seen.at, address_order);
    qsort(sorted.at, sorted.n, sizeof *sorted.at, start_order);
    module_keep(functions, profile, &bytes);
    for (size_t i = 0; i < sorted.n; i++) {
        function_keep(sorted.at[i], &seen, &at, &kept);
        kept_function_encode(&kept, &bytes);
        made_part_add(profile, functions->module, KEPT_FUNCTION, sorted.at[i]->start, &bytes);
    }
    kept_sort(&profile->kept);
    kept_function_release(&kept);
    vec_release(&bytes);
    vec_release(&sorted);
    vec_release(&seen);
}
