#include "collect/last_nodes.h"

void last_nodes_release(struct last_nodes *last)
{
    for (size_t i = 0; i < LAST_NODES_SLOTS; i++)
        vec_release(&last->slots[i]);
}

void last_nodes_forget(struct last_nodes *last)
{
    last->era++;
}

struct last_stack *last_nodes_of(struct last_nodes *last, uint32_t pid, uint32_t tid,
                                 uint64_t mappings)
{
    struct last_stack *stack = &last->slots[tid % LAST_NODES_SLOTS];
    if (stack->pid != pid || stack->tid != tid || stack->mappings != mappings ||
        stack->era != last->era) {
        stack->pid = pid;
        stack->tid = tid;
        stack->mappings = mappings;
        stack->era = last->era;
        stack->n = 0;
    }
    return stack;
}
