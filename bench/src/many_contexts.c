/* many_contexts N FILE: writes a plain profile whose stacks have N nodes, for how fast views and
 * pages are with more contexts than any of our programs has.
 *
 * Functions are of code without a file, so that no binary is needed. A node hangs below one that
 * was made before, mostly a recent one, so that stacks are some dozens deep; some functions are
 * called far more often than others, and few nodes have most of the weight. */
#include "base/err.h"
#include "profile/file/file.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>

enum { FUNCTIONS = 20000, FUNCTION_BYTES = 256, SITES = 3, RECENT = 40 };

static uint64_t state = 1;

static uint64_t below(uint64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

/* The lower the more likely. */
static uint64_t mostly_low(uint64_t n)
{
    uint64_t a = below(n), b = below(n), c = below(n);
    uint64_t least = a < b ? a : b;
    return least < c ? least : c;
}

static void name_functions(struct profile *profile, uint32_t module)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[64];
        snprintf(name, sizeof name, "component_%02d::operation_%05d", i % 40, i);
        *vec_push(&profile->names) = (struct name){.module = module,
                                                   .start = (uint64_t)(i + 1) * FUNCTION_BYTES,
                                                   .bytes = FUNCTION_BYTES,
                                                   .text = arena_string(&profile->arena, name)};
    }
    names_sort(&profile->names);
}

static void grow(struct profile *profile, uint32_t nodes, uint32_t module)
{
    struct stacks *stacks = &profile->stacks;
    uint32_t root = stacks_node(stacks, STACK_NONE, MODULE_NONE, stack_thread(1, 1));
    while (stacks->nodes.n < nodes) {
        uint32_t n = stacks->nodes.n;
        uint32_t parent = n < RECENT        ? n - 1
                          : below(100) == 0 ? root + (uint32_t)mostly_low(n)
                          : below(4)        ? n - 1 - (uint32_t)below(RECENT)
                                            : (uint32_t)below(n);
        uint64_t function = (1 + mostly_low(FUNCTIONS)) * FUNCTION_BYTES;
        uint32_t node = stacks_node(stacks, parent, module, function + 7 + 16 * below(SITES));
        uint64_t samples = 1 + below(3) + (below(1000) == 0 ? below(4000) : 0);
        uint64_t weight = samples * 1000000;
        stacks_add(stacks, node, (uint32_t)below(STACK_GROUPS), weight);
        profile->totals.interrupts += samples;
        profile->totals.time += weight;
        profile->totals.user_ns += weight;
    }
}

int main(int argc, char **argv)
{
    struct profile profile;
    struct err err;
    if (argc != 3) {
        fprintf(stderr, "usage: many_contexts N FILE\n");
        return 2;
    }
    profile_init(&profile);
    profile.mode = PROFILE_PLAIN;
    profile.complete = true;
    profile.command = arena_string(&profile.arena, "many_contexts");
    uint32_t module = profile_module_jit(&profile, 1);
    name_functions(&profile, module);
    grow(&profile, (uint32_t)strtoul(argv[1], NULL, 10), module);
    bool ok = profile_write(argv[2], &profile, &err);
    if (!ok)
        fprintf(stderr, "many_contexts: %s\n", err.text);
    profile_release(&profile);
    return !ok;
}
