#include "program/names/demangle.h"

#include "program/names/rust_name.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libstdc++'s; its header is C++. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Longer names are not read: demangling may take time and stack that grow with them. */
enum { LINKAGE_MAX = 16384 };

void demangler_init(struct demangler *demangler)
{
    *demangler = (struct demangler){0};
    map_init(&demangler->known, sizeof(uint64_t));
}

void demangler_release(struct demangler *demangler)
{
    map_release(&demangler->known);
    vec_release(&demangler->names);
    arena_release(&demangler->arena);
}

static bool is_mangled(const char *linkage)
{
    return linkage[0] == '_' &&
           (linkage[1] == 'Z' || linkage[1] == 'R' || (linkage[1] == '_' && linkage[2] == 'Z'));
}

static const char *name_make(struct demangler *demangler, const char *linkage)
{
    /* libstdc++ knows compilers' suffixes (".cold"), but not ours and the linker's ("@plt"). */
    size_t bytes = strlen(linkage), length = strcspn(linkage, "@");
    if (bytes > LINKAGE_MAX)
        return linkage;
    const char *rust = rust_name(&demangler->arena, linkage, bytes);
    if (rust)
        return rust;
    const char *mangled =
        length < bytes ? arena_string_n(&demangler->arena, linkage, length) : linkage;
    int status;
    char *readable = __cxa_demangle(mangled, NULL, NULL, &status);
    if (!readable)
        return linkage;
    size_t readable_bytes = strlen(readable);
    char *name = arena_alloc(&demangler->arena, readable_bytes + bytes - length + 1);
    memcpy(name, readable, readable_bytes);
    memcpy(name + readable_bytes, linkage + length, bytes - length);
    free(readable);
    return name;
}

static uint64_t name_hash(const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return hash;
}

const char *demangle(struct demangler *demangler, const char *linkage)
{
    if (!is_mangled(linkage))
        return linkage;
    struct demangled *names = &demangler->names;
    uint64_t hash = name_hash(linkage);
    uint32_t i;
    while ((i = map_add(&demangler->known, &hash)) < names->n &&
           strcmp(names->at[i].linkage, linkage) != 0)
        hash++;
    if (i == names->n) {
        const char *readable = name_make(demangler, linkage);
        const char *kept = arena_string(&demangler->arena, linkage);
        *vec_push(names) = (struct demangled_name){kept, readable == linkage ? NULL : readable};
    }
    return names->at[i].readable ? names->at[i].readable : linkage;
}
