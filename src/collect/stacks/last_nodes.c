#include "collect/stacks/last_nodes.h"

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

/* From the outermost frame inwards. */
uint32_t last_stack_node(struct last_stack *last, const struct stack *stack, uint32_t node,
                         uint32_t (*make)(void *closure, uint32_t parent, struct avma inside),
                         void *closure)
{
    size_t same = 0;
    while (same < last->n && same < stack->n &&
           last->at[same].inside == stack_frame_inside(&stack->at[stack->n - 1 - same]).v)
        node = last->at[same++].node;
    last->n = same;
    for (size_t i = stack->n - same; i-- > 0;) {
        struct avma inside = stack_frame_inside(&stack->at[i]);
        node = make(closure, node, inside);
        *vec_push(last) = (struct last_node){inside.v, node};
    }
    return node;
}
