#include "export/job/strings.h"

#include "base/text_hash.h"

#include <string.h>

void strings_init(struct strings *strings)
{
    *strings = (struct strings){0};
    map_init(&strings->keys, 2 * sizeof(uint64_t));
    strings_add(strings, "");
}

void strings_release(struct strings *strings)
{
    map_release(&strings->keys);
    vec_release(strings);
    arena_release(&strings->arena);
}

uint32_t strings_add(struct strings *strings, const char *text)
{
    text = text ? text : "";
    uint64_t key[2] = {text_hash(text), 0};
    for (;; key[1]++) {
        uint32_t index = map_add(&strings->keys, key);
        if (index == strings->n)
            *vec_push(strings) = arena_string(&strings->arena, text);
        if (strcmp(strings->at[index], text) == 0)
            return index;
    }
}

bool strings_known(const struct strings *strings, const char *text)
{
    uint64_t key[2] = {text_hash(text), 0};
    for (;; key[1]++) {
        uint32_t index = map_find(&strings->keys, key);
        if (index == MAP_NONE || strcmp(strings->at[index], text) == 0)
            return index != MAP_NONE;
    }
}
