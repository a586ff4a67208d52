/* The one growing array. A vec of T is any struct { T *at; size_t n, room; }:
 *
 *     struct lines { VEC(struct line); } lines = {0};
 *     *vec_push(&lines) = (struct line){...};
 *     for (size_t i = 0; i < lines.n; i++) use(lines.at[i]);
 *     vec_release(&lines);
 *
 * vec_push returns the new element, zeroed; it may move the array. */
#pragma once

#include "base/memory.h"

#include <stddef.h>
#include <string.h>

#define VEC(type)                                                                                  \
    type *at;                                                                                      \
    size_t n, room

#define vec_push(vec)                                                                              \
    (vec_room(vec, (vec)->n + 1), memset(&(vec)->at[(vec)->n], 0, sizeof *(vec)->at), (vec)->n++,  \
     &(vec)->at[(vec)->n - 1])
/* Makes room for count elements. The memory is not initialised, so unused pages are never touched.
 */
#define vec_room(vec, count)                                                                       \
    vec_room_bytes((void **)&(vec)->at, &(vec)->room, (count), sizeof *(vec)->at)
/* The same; the memory past the old room is zeroed. */
#define vec_reserve(vec, count)                                                                    \
    vec_reserve_bytes((void **)&(vec)->at, &(vec)->room, (count), sizeof *(vec)->at)
#define vec_release(vec) (mem_free((vec)->at), (vec)->at = NULL, (vec)->n = (vec)->room = 0)

void vec_grow_bytes(void **at, size_t *room, size_t count, size_t element_bytes);
static inline void vec_room_bytes(void **at, size_t *room, size_t count, size_t element_bytes)
{
    if (count > *room)
        vec_grow_bytes(at, room, count, element_bytes);
}
static inline void vec_reserve_bytes(void **at, size_t *room, size_t count, size_t element_bytes)
{
    size_t before = *room;
    vec_room_bytes(at, room, count, element_bytes);
    if (*room > before)
        memset((char *)*at + before * element_bytes, 0, (*room - before) * element_bytes);
}
