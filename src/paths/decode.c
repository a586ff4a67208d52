#include "paths/decode.h"

#include "paths/number.h"

/* The last arc of a node whose value is not above: the one that a path with so much left takes. */
static uint32_t arc_find(const struct path_numbering *numbering, uint32_t node, uint64_t left)
{
    uint32_t low = numbering->first[node], high = numbering->first[node + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (numbering->arcs.at[middle].value <= left)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool path_decode(const struct path_numbering *numbering, uint64_t path, struct path_arcs *ret)
{
    ret->n = 0;
    if (path >= numbering->total)
        return false;
    for (uint32_t node = numbering->entry; node != numbering->exit;) {
        uint32_t arc = arc_find(numbering, node, path);
        path -= numbering->arcs.at[arc].value;
        node = numbering->arcs.at[arc].to;
        *vec_push(ret) = arc;
    }
    return true;
}
