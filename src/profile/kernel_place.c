#include "profile/kernel_place.h"

#include "base/text_hash.h"
#include "profile/profile.h"

#include <string.h>

/* In the upper half, as all kernel addresses are. Two of 10,000 names share a place once in 100,000
 * kernels. */
enum { PLACE_BITS = 20 };
#define PLACE_BYTES (1ull << PLACE_BITS)

static uint64_t place_of(const char *name)
{
    return 1ull << 63 | text_hash(name) >> (PLACE_BITS + 1) << PLACE_BITS;
}

static uint64_t placed(const struct names *names, uint32_t module, uint64_t address)
{
    const struct name *name = names_find(names, module, address);
    uint64_t start = name ? place_of(name->text) : 0;
    if (!name || name->start == start)
        return address;
    uint64_t offset = address - name->start;
    return start + (offset < PLACE_BYTES ? offset : PLACE_BYTES - 1);
}

/* The tree with kernel code in its places; nodes may become one. */
static void tree_place(struct stacks *stacks, const struct names *names, uint32_t kernel)
{
    struct stacks moved;
    struct {
        VEC(uint32_t);
    } nodes = {0};
    stacks_init(&moved);
    moved.maxima = stacks->maxima;
    for (uint32_t i = 0; i < stacks->nodes.n; i++) {
        struct stack_key key = stacks_key(stacks, i);
        uint32_t parent = key.parent == STACK_NONE ? STACK_NONE : nodes.at[key.parent];
        uint64_t address = key.module == kernel ? placed(names, kernel, key.address) : key.address;
        *vec_push(&nodes) = stacks_node(&moved, parent, key.module, address);
    }
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        struct stack_cell cell;
        memcpy(&cell, map_key(&stacks->cells, i), sizeof cell);
        stacks_add(&moved, nodes.at[cell.node], cell.group, stacks->weights.at[i]);
    }
    vec_release(&nodes);
    stacks_release(stacks);
    *stacks = moved;
}

static void names_place(struct names *names, struct arena *arena, uint32_t kernel)
{
    struct names moved = {0}, rest = {0};
    for (size_t i = 0; i < names->n; i++) {
        struct name name = names->at[i];
        if (name.module == kernel) {
            uint64_t start = place_of(name.text);
            const struct name *known = names_find(&moved, kernel, start);
            uint64_t bytes = name.bytes < PLACE_BYTES ? name.bytes : PLACE_BYTES;
            if (!known || known->bytes < bytes)
                names_add(&moved, arena, kernel, start, bytes, name.text);
        } else {
            *vec_push(&rest) = name;
        }
    }
    names_merge(&rest, arena, &moved, NAMES_LARGER);
    vec_release(&moved);
    vec_release(names);
    *names = rest;
}

void kernel_place(struct profile *profile)
{
    struct stacks *const trees[] = {&profile->stacks,     &profile->waits,
                                    &profile->events,     &profile->times,
                                    &profile->wait_times, &profile->context_paths};
    uint32_t kernel = 0;
    while (kernel < profile->modules.n && !profile_module_is_kernel(profile, kernel))
        kernel++;
    if (kernel == profile->modules.n)
        return;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        tree_place(trees[i], &profile->names, kernel);
    names_place(&profile->names, &profile->arena, kernel);
}
