#include "collect/stacks/walk_stacks.h"

#include "base/memory.h"
#include "process/mappings.h"
#include "profile/profile.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_partial.h"

#include <string.h>

struct module_rule {
    bool readable; /* the file is there and is the module's */
    struct image image;
    struct unwind_partial unwind;
};

void walk_stacks_init(struct walk_stacks *stacks, struct profile *profile)
{
    *stacks = (struct walk_stacks){.profile = profile};
    python_functions_init(&stacks->python);
}

void walk_stacks_release(struct walk_stacks *stacks)
{
    for (size_t i = 0; i < stacks->rules.n; i++) {
        struct module_rule *rule = stacks->rules.at[i];
        if (rule && rule->readable) {
            unwind_partial_release(&rule->unwind);
            image_close(&rule->image);
        }
        mem_free(rule);
    }
    vec_release(&stacks->rules);
    stack_release(&stacks->stack);
    stack_release(&stacks->merged);
    python_functions_release(&stacks->python);
    last_nodes_release(&stacks->last);
}

void walk_stacks_forget(struct walk_stacks *stacks)
{
    last_nodes_forget(&stacks->last);
}

/* ---- rules */

/* Another file may have taken the name meanwhile. */
static bool module_open(const struct mappings *mappings, uint32_t module, struct image *image)
{
    const struct module *known = &mappings->profile->modules.at[module];
    if (!mappings_image_open(mappings, module, image))
        return false;
    if (image->build_id_bytes == known->build_id_bytes &&
        (!known->build_id_bytes ||
         memcmp(image->build_id, known->build_id, known->build_id_bytes) == 0))
        return true;
    image_close(image);
    return false;
}

static struct module_rule *module_rule(struct walk_stacks *stacks, const struct mappings *mappings,
                                       uint32_t module)
{
    while (stacks->rules.n <= module)
        (void)vec_push(&stacks->rules);
    struct module_rule *rule = stacks->rules.at[module];
    if (rule)
        return rule;
    rule = stacks->rules.at[module] = mem_alloc(sizeof *rule);
    rule->readable = module_open(mappings, module, &rule->image);
    if (rule->readable)
        unwind_partial_init(&rule->unwind, &rule->image);
    return rule;
}

/* ---- one stack */

struct asked {
    struct walk_stacks *stacks;
    struct mappings *mappings;
};

static bool place_of(void *closure, struct avma at, struct stack_place *ret_place)
{
    const struct asked *asked = closure;
    const struct mapping *mapping = mappings_find(asked->mappings, at);
    if (!mapping)
        return false;
    struct module_rule *rule = module_rule(asked->stacks, asked->mappings, mapping->module);
    *ret_place = (struct stack_place){.at = {at.v + mapping->shift}};
    if (rule->readable) {
        ret_place->unwind = unwind_partial_at(&rule->unwind, ret_place->at);
        ret_place->image = &rule->image;
    }
    return true;
}

static uint32_t node_of(void *closure, uint32_t parent, struct avma inside)
{
    const struct asked *asked = closure;
    if (inside.v & PYTHON_PC)
        return stacks_node(&asked->stacks->profile->stacks, parent, asked->stacks->python.module,
                           inside.v & ~PYTHON_PC);
    struct place place = mappings_place(asked->mappings, inside);
    return stacks_node(&asked->stacks->profile->stacks, parent, place.module, place.address.v);
}

/* Up to where the next copy is to go. What lies far out has mostly not changed since the last
 * stack, and large: of deep stacks only the inner frames are asked for, the others go on as they
 * were (stack_past.h), and now and then all of it is looked at again. `own`: frames that were in
 * this copy; `common`: the first that the stack before had. */
static uint64_t begin_of(struct walk_stacks *stacks, const struct stack *stack, size_t own,
                         size_t common)
{
    enum { DEEP = 4096, INNER = 2048, AGAIN = 8 };
    uint64_t sp = stack->at[0].sp.v, begin = stack->at[stack->n - 1].sp.v;
    if (begin - sp < DEEP || ++stacks->turn % AGAIN == 0)
        return begin;
    if (own < stack->n)
        return stack->at[own - 1].sp.v;
    size_t i = common;
    while (i + 1 < stack->n && stack->at[i].sp.v - sp < INNER)
        i++;
    return i < stack->n ? stack->at[i].sp.v : begin;
}

uint32_t walk_stacks_node(struct walk_stacks *stacks, const struct walk_thread *thread,
                          const struct stack_sample *sample, uint32_t root, uint64_t *ret_begin)
{
    struct asked asked = {stacks, thread->mappings};
    struct stack_space space = {.place = place_of, .closure = &asked};
    struct stack *stack = &stacks->stack;
    stack_walk(stack, &space, sample);
    size_t own = stack->n, common = stack_past_common(thread->past, stack);
    stack_past_apply(thread->past, stack);
    /* Stacks of interpreters change far out, too: whatever they run is called by the same loop. */
    *ret_begin = stack->end != STACK_OUTERMOST ? 0
                 : sample->n_python            ? stack->at[stack->n - 1].sp.v
                                               : begin_of(stacks, stack, own, common);
    stacks->ends[stack->end]++;
    for (int i = 0; i < STACK_N_FALLBACKS; i++)
        stacks->fallbacks[i] += stack->fallbacks[i];
    stack_drop_unmapped(stack, &space);
    if (sample->n_python) {
        stacks->with_python++;
        stacks->python_unnamed +=
            python_stack_merge(&stacks->merged, stack, sample, thread->python, &stacks->python);
        stack = &stacks->merged;
    }
    struct last_stack *last = last_nodes_of(&stacks->last, (uint32_t)thread->mappings->pid,
                                            thread->tid, thread->mappings->changes);
    return last_stack_node(last, stack, root, node_of, &asked);
}
