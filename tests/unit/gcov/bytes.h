/* Files of gcc, put together word by word. */
#pragma once

#include "base/vec.h"

#include <stdint.h>
#include <string.h>

struct file {
    VEC(uint8_t);
};

static inline void put(struct file *file, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        *vec_push(file) = (uint8_t)(word >> 8 * i);
}

static inline void put_words(struct file *file, size_t n, const uint32_t *words)
{
    for (size_t i = 0; i < n; i++)
        put(file, words[i]);
}
#define PUT(file, ...)                                                                             \
    put_words(file, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

/* As gcc 12 does: the number of bytes, the zero included. */
static inline void put_text(struct file *file, const char *text)
{
    put(file, (uint32_t)strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++)
        *vec_push(file) = (uint8_t)text[i];
}

/* The length of a record whose tag was put at that place. */
static inline void put_length(struct file *file, size_t tag)
{
    uint32_t length = (uint32_t)(file->n - tag - 8);
    memcpy(file->at + tag + 4, &length, 4);
}

/* A loop: entry 0 -> 2, head 2 -> 3 or 4, body 3 -> 2, and 4 -> exit 1. Counters: 2 -> 3 and 0
 * -> 2. */
static inline void put_loop(struct file *file)
{
    PUT(file, 0x67636E6F, 0x4232322A, 77, 0);
    put_text(file, "/there");
    put(file, 1);
    size_t tag = file->n;
    PUT(file, 0x01000000, 0, 11, 22, 33);
    put_text(file, "loop");
    put(file, 0);
    put_text(file, "loop.c");
    PUT(file, 5, 1, 9, 1);
    put_length(file, tag);
    PUT(file, 0x01410000, 4, 5);
    PUT(file, 0x01430000, 12, 0, 2, 4);
    PUT(file, 0x01430000, 20, 2, 3, 0, 4, 1);
    PUT(file, 0x01430000, 12, 3, 2, 1);
    PUT(file, 0x01430000, 12, 4, 1, 1);
    tag = file->n;
    PUT(file, 0x01450000, 0, 2, 0);
    put_text(file, "loop.c");
    PUT(file, 6, 7, 0, 0);
    put_length(file, tag);
    tag = file->n;
    PUT(file, 0x01450000, 0, 3, 8, 0);
    put_text(file, "loop.h");
    PUT(file, 2, 0, 0);
    put_length(file, tag);
}
