/* Texts by number, each once. Number 0 is "". */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"

#include <stdbool.h>

struct strings {
    struct arena arena;
    struct map keys; /* hash of a text, and a count of the texts before it with the same hash */
    VEC(const char *);
};

void strings_init(struct strings *strings);
void strings_release(struct strings *strings);
/* Copies a new one. NULL is "". */
uint32_t strings_add(struct strings *strings, const char *text);
bool strings_known(const struct strings *strings, const char *text);
