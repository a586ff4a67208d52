#include "profile/waits.h"

#include "profile/profile.h"

#include <string.h>

bool profile_weigh_waits(struct profile *profile)
{
    struct stacks waits = profile->waits;
    if (!waits.cells.n)
        return false;
    stacks_clear(&profile->stacks);
    for (uint32_t i = 0; i < waits.nodes.n; i++) {
        struct stack_key key = stacks_key(&waits, i);
        stacks_node(&profile->stacks, key.parent, key.module, key.address);
    }
    for (uint32_t i = 0; i < waits.cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&waits.cells, i), sizeof cell);
        if (cell.group % WAIT_KIND_GROUPS == WAIT_NS)
            stacks_add(&profile->stacks, cell.node, 0, waits.weights.at[i]);
    }
    profile->mode = PROFILE_PLAIN;
    return true;
}
