#include "collect/call_tree.h"

#include "collect/banks.h"
#include "collect/share.h"
#include "collect/source.h"
#include "profile/profile.h"
#include "profile/stacks.h"
#include "wire/node.h"

#include <string.h>

/* What a node has become: the stack above it, from which its children's are made. */
struct known {
    uint32_t number, function;
    uint32_t stack;
};

struct taking {
    struct source *source;
    uint32_t root; /* of the stacks */
    struct {
        VEC(struct known);
    } nodes; /* by number */
    uint64_t garbled;
};

static const struct known *known_find(const struct taking *taking, uint32_t number)
{
    size_t low = 0, high = taking->nodes.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (taking->nodes.at[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < taking->nodes.n && taking->nodes.at[low].number == number;
    return found ? &taking->nodes.at[low] : NULL;
}

static const struct unit_function *function_find(const struct taking *taking, uint32_t number)
{
    const struct unit_functions *functions = &taking->source->units.functions;
    return number - 1 < functions->n ? &functions->at[number - 1] : NULL;
}

/* The stack above a node: its parent's, and in it where the call is. */
static uint32_t stack_above(const struct taking *taking, const struct known *parent, uint64_t site)
{
    const struct unit_function *caller = function_find(taking, parent->function);
    if (!caller)
        return parent->stack;
    uint64_t inside = site ? site - caller->start : 1; /* not known where: somewhere in it */
    return stacks_node(&taking->source->profile->stacks, parent->stack, caller->at.module,
                       caller->at.address.v + inside);
}

static bool node_take(struct taking *taking, const struct wire_node *node, uint32_t number)
{
    struct stacks *stacks = &taking->source->profile->stacks;
    const struct known *parent = number ? known_find(taking, node->parent) : NULL;
    if (number && !parent)
        return false;
    struct known known = {.number = number, .function = node->function, .stack = taking->root};
    if (number)
        known.stack = stack_above(taking, parent, node->site);
    const struct unit_function *function = function_find(taking, node->function);
    if (function && (node->count || node->ticks)) {
        uint32_t leaf =
            stacks_node(stacks, known.stack, function->at.module, function->at.address.v);
        stacks_add(stacks, leaf, STACK_CALLS, node->count);
        if (node->ticks)
            stacks_add(stacks, leaf, STACK_TICKS, node->ticks);
    }
    *vec_push(&taking->nodes) = known;
    return function || !number || node->function >= NODE_SIGNALS;
}

static void bank_take(struct taking *taking, const unsigned char *bank)
{
    uint32_t at = 0;
    taking->nodes.n = 0;
    while (at <= NODES_BYTES - sizeof(struct wire_node)) {
        struct wire_node node;
        memcpy(&node, bank + NODES_AT + at, sizeof node);
        if (!node.bytes)
            return;
        if (node.bytes < sizeof node || node.bytes % 8 || node.bytes > NODES_BYTES - at) {
            taking->garbled++;
            return;
        }
        taking->garbled += !node_take(taking, &node, at);
        at += node.bytes;
    }
}

void call_tree_take(struct source *source)
{
    uint32_t pid = (uint32_t)source->mappings.pid;
    struct taking taking = {.source = source};
    taking.root =
        stacks_node(&source->profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(pid, pid));
    bank_take(&taking, (const unsigned char *)source->channel + CHANNEL_COUNTERS_AT);
    uint64_t slots = share_load(&source->channel->n_threads);
    for (uint32_t i = 0; i < slots && i < CHANNEL_THREADS; i++) {
        const void *bank = banks_map(source->banks, i);
        if (bank)
            bank_take(&taking, bank);
    }
    source->garbled += taking.garbled;
    vec_release(&taking.nodes);
}
