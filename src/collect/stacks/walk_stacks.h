/* Stacks of walks: the words above a thread's stack pointer at an interrupt become a calling
 * context of the profile.
 *
 * One for all processes of a recording: rules of a module are compiled once for all. Rules of a
 * function are compiled when it is first met (program/unwind/unwind_partial.h). */
#pragma once

#include "base/vec.h"
#include "collect/stacks/last_nodes.h"
#include "collect/stacks/python_stack.h"
#include "collect/stacks/stack.h"
#include "collect/stacks/stack_past.h"

#include <stdint.h>

struct mappings;
struct profile;

struct walk_stacks {
    struct profile *profile; /* gets nodes */
    struct module_rules {
        VEC(struct module_rule *); /* by module; NULL: not needed yet */
    } rules;
    struct stack stack;
    struct stack merged; /* with Python frames */
    struct python_functions python;
    struct last_nodes last;
    uint32_t turn; /* deep stacks so far */
    /* so far */
    uint64_t untaken; /* interrupts without a copy of the stack */
    uint64_t ends[STACK_N_ENDS], fallbacks[STACK_N_FALLBACKS];
    uint64_t with_python, python_unnamed; /* stacks; frames */
};

void walk_stacks_init(struct walk_stacks *stacks, struct profile *profile);
void walk_stacks_release(struct walk_stacks *stacks);
/* The profile's stacks were emptied. */
void walk_stacks_forget(struct walk_stacks *stacks);

struct walk_thread {
    struct mappings *mappings;
    struct stack_past *past; /* of the process */
    const struct python_codes *python;
    uint32_t tid;
};

/* The innermost node of the stack, below the thread's root. The registers' ip is the interrupted
 * place. `ret_begin`: where the thread's stack begins; 0: not known any more. */
uint32_t walk_stacks_node(struct walk_stacks *stacks, const struct walk_thread *thread,
                          const struct stack_sample *sample, uint32_t root, uint64_t *ret_begin);
