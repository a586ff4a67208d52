/* What a compiler's instrumentation of functions (gcc -finstrument-functions) costs when it keeps calling contexts: a node for each caller's node, callee and call
 * site, found by a hash, with how often it was entered. Preloaded; GAIT_CALLS names the file that the number of contexts and calls is written to. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN __attribute__((no_instrument_function))

enum { NODES = 1 << 20, DEPTH = 1 << 16 };

struct node {
    void *function, *site;
    uint32_t parent, used;
    uint64_t count;
};
struct frame {
    char *at;
    uint32_t node;
};

static __thread struct node *nodes;
static __thread struct frame frames[DEPTH];
static __thread uint32_t depth;

PLAIN static uint32_t child_find(uint32_t parent, void *function, void *site)
{
    uint64_t key = ((uint64_t)function * 31 + (uint64_t)site) * 31 + parent;
    uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 44);
    for (;; at = (at + 1) % NODES) {
        struct node *node = &nodes[at];
        if (node->used &&
            (node->parent != parent || node->function != function || node->site != site))
            continue;
        *node = (struct node){function, site, parent, 1, node->count};
        return at;
    }
}

PLAIN void __cyg_profile_func_enter(void *function, void *site);
PLAIN void __cyg_profile_func_exit(void *function, void *site);

/* Frames that longjmp has left lie below this one. */
void __cyg_profile_func_enter(void *function, void *site)
{
    char *here = __builtin_frame_address(0);
    if (!nodes)
        nodes = calloc(NODES, sizeof *nodes);
    while (depth && frames[depth - 1].at <= here)
        depth--;
    uint32_t node = child_find(depth ? frames[depth - 1].node : 0, function, site);
    nodes[node].count++;
    if (depth < DEPTH)
        frames[depth++] = (struct frame){here, node};
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function;
    (void)site;
    depth -= depth > 0;
}

__attribute__((destructor)) PLAIN static void tell(void)
{
    uint64_t n = 0, calls = 0;
    FILE *to = getenv("GAIT_CALLS") ? fopen(getenv("GAIT_CALLS"), "w") : NULL;
    for (uint32_t i = 0; nodes && i < NODES; i++) {
        n += nodes[i].used;
        calls += nodes[i].count;
    }
    if (to)
        fprintf(to, "%lu %lu\n", (unsigned long)n, (unsigned long)calls);
}
