#include "base/vec.h"

void vec_grow_bytes(void **at, size_t *room, size_t count, size_t element_bytes)
{
    size_t grown = *room ? *room * 2 : 16;
    if (grown < count)
        grown = count;
    *at = mem_resize(*at, grown * element_bytes);
    *room = grown;
}
