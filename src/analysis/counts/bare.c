#include "analysis/counts/bare.h"

#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* "4711 name" */
static void pids_read(struct map *pids, const struct profile *profile)
{
    for (size_t i = 0; i < profile->facts.n; i++) {
        const struct fact *fact = &profile->facts.at[i];
        uint32_t pid = (uint32_t)strtoul(fact->value, NULL, 10);
        if (strcmp(fact->key, "agentless") == 0)
            map_add(pids, &pid);
    }
}

void bare_find(struct bare *bare, const struct profile *profile)
{
    struct map pids;
    const struct stacks *stacks = &profile->stacks;
    *bare = (struct bare){0};
    map_init(&pids, sizeof(uint32_t));
    pids_read(&pids, profile);
    if (pids.n)
        bare->of_node = mem_alloc(stacks->nodes.n + (size_t)1);
    for (uint32_t node = 0; bare->of_node && node < stacks->nodes.n; node++) {
        struct stack_key key = stacks_key(stacks, node);
        uint32_t pid = (uint32_t)(key.address >> 32);
        bare->of_node[node] = key.parent == STACK_NONE ? map_find(&pids, &pid) != MAP_NONE
                                                       : bare->of_node[key.parent];
    }
    map_release(&pids);
}

void bare_release(struct bare *bare)
{
    mem_free(bare->of_node);
    *bare = (struct bare){0};
}
