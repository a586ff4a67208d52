/* Which stacks of a sampled profile belong to processes without an agent. The kernel alone sampled
 * these, and less often: the fact "agentless" names them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct profile;

struct bare {
    uint8_t *of_node; /* for each node of the stacks; NULL: there is no such process */
};

void bare_find(struct bare *bare, const struct profile *profile);
void bare_release(struct bare *bare);

static inline bool bare_has(const struct bare *bare, uint32_t node)
{
    return bare->of_node && bare->of_node[node];
}
