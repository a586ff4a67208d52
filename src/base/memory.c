#include "base/memory.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 16, ALIGN = 16 };

struct arena_chunk {
    struct arena_chunk *previous;
    size_t used, size;
    _Alignas(ALIGN) unsigned char bytes[];
};

static void *must(void *block)
{
    if (!block) {
        fputs("gait: out of memory\n", stderr);
        abort();
    }
    return block;
}

void *mem_alloc(size_t bytes)
{
    return must(calloc(1, bytes ? bytes : 1));
}

void *mem_resize(void *old, size_t bytes)
{
    return must(realloc(old, bytes ? bytes : 1));
}

void mem_free(void *block)
{
    free(block);
}

void mem_keep_freed(void)
{
    enum { LARGEST = 32 << 20, FREED = 64 << 20 };
    mallopt(M_MMAP_THRESHOLD, LARGEST);
    mallopt(M_TRIM_THRESHOLD, FREED);
}

/* Most of the price of fresh memory is the page faults: huge pages cost a seventh. So it all comes
 * from one stretch of them, and what is freed is used again. */
void mem_expect_much(void)
{
    enum { MUCH = 64 << 20, HUGE_BYTES = 2 << 20, LARGEST = 32 << 20 };
    mallopt(M_MMAP_THRESHOLD, LARGEST);
    mallopt(M_TRIM_THRESHOLD, 4 * MUCH);
    mallopt(M_TOP_PAD, MUCH);
    void *volatile grows = malloc(HUGE_BYTES); /* more than is there */
    mallopt(M_TOP_PAD, HUGE_BYTES);
    if (!grows) /* so much is not allowed (ulimit -v) */
        return;
    free(grows);
    uintptr_t end = (uintptr_t)sbrk(0) & -(uintptr_t)HUGE_BYTES;
    madvise((void *)(end - MUCH + HUGE_BYTES), MUCH - HUGE_BYTES, MADV_HUGEPAGE);
}

void mem_expect(size_t bytes)
{
    enum { PAGE = 4096 };
    char *block = malloc(bytes);
    for (size_t i = 0; block && i < bytes; i += PAGE)
        *(volatile char *)(block + i) = 0;
    free(block);
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct arena_chunk *chunk = arena->last;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = mem_alloc(sizeof *chunk + size);
        chunk->size = size;
        chunk->previous = arena->last;
        arena->last = chunk;
    }
    void *block = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return block;
}

char *arena_string_n(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_string(struct arena *arena, const char *text)
{
    return arena_string_n(arena, text, strlen(text));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void arena_join(struct arena *arena, struct arena *other)
{
    struct arena_chunk *first = other->last;
    while (first && first->previous)
        first = first->previous;
    if (!arena->last) {
        arena->last = other->last;
    } else if (first) { /* behind the chunk that still has room */
        first->previous = arena->last->previous;
        arena->last->previous = other->last;
    }
    other->last = NULL;
}

void arena_release(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->last; chunk;) {
        struct arena_chunk *previous = chunk->previous;
        mem_free(chunk);
        chunk = previous;
    }
    arena->last = NULL;
}
