#include "base/intern.h"

#include <string.h>

void intern_init(struct intern *intern)
{
    *intern = (struct intern){0};
    map_init(&intern->keys, sizeof(uint64_t));
}

void intern_release(struct intern *intern)
{
    map_release(&intern->keys);
    vec_release(&intern->texts);
    arena_release(&intern->arena);
}

uint32_t intern_number(struct intern *intern, const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    uint32_t i;
    while ((i = map_add(&intern->keys, &hash)) < intern->texts.n &&
           strcmp(intern->texts.at[i], text) != 0)
        hash++;
    if (i == intern->texts.n)
        *vec_push(&intern->texts) = arena_string(&intern->arena, text);
    return i;
}

const char *intern_text(struct intern *intern, const char *text)
{
    uint32_t i = intern_number(intern, text); /* may move the texts */
    return intern->texts.at[i];
}
