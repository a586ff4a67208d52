#include "collect/exact/call_tree.h"

#include "collect/channel/banks.h"
#include "collect/exact/path_plans.h"
#include "collect/channel/share.h"
#include "collect/exact/exact_process.h"
#include "process/units.h"
#include "profile/profile.h"
#include "profile/stacks.h"
#include "profile/sums.h"
#include "wire/node.h"

#include <stdlib.h>
#include <string.h>

/* What a node has become: the stack above it, from which its children's are made. */
struct known {
    uint32_t number, function;
    uint32_t stack;
    uint32_t paths; /* the same of profile->context_paths */
    bool other;     /* NODE_OTHERS, or below it */
};

struct taking {
    const struct exact_process *process;
    struct path_plans *plans;
    uint32_t root;           /* of the stacks */
    uint32_t paths_root;     /* of paths in contexts */
    uint64_t bank_at;        /* in the share: the bank that is being read */
    uint64_t lost;           /* calls of what was one too many */
    struct unit_paths known; /* that have a counter in nodes; by function and counter */
    struct {
        VEC(struct known);
    } nodes; /* by number */
    uint64_t garbled;
    uint64_t records, record_bytes; /* of all banks */
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

/* A process publishes a function before it makes a node of it, but one that outlives the recording
 * may do both after its units were read. */
static const struct unit_function *function_find(const struct taking *taking, uint32_t number)
{
    const struct unit_functions *functions = &taking->process->units->functions;
    if (number - 1 >= functions->n && number < NODE_SIGNALS && number)
        taking->process->refresh(taking->process);
    return number - 1 < functions->n ? &functions->at[number - 1] : NULL;
}

/* The node of a tree of stacks for a node above, and in it where the call is. */
static uint32_t stack_above(struct stacks *stacks, uint32_t stack,
                            const struct unit_function *caller, uint64_t site)
{
    if (!caller)
        return stack;
    uint64_t inside = site ? site - caller->start : 1; /* not known where: somewhere in it */
    return stacks_node(stacks, stack, caller->at.module, caller->at.address.v + inside);
}

/* ---- paths */

static uint32_t paths_parent(const struct taking *taking, uint32_t above,
                             const struct unit_function *function)
{
    return stacks_node(&taking->process->profile->context_paths, above, function->at.module,
                       function->at.address.v);
}

static void path_add(const struct taking *taking, const struct known *known, uint64_t path,
                     uint64_t count)
{
    struct stacks *stacks = &taking->process->profile->context_paths;
    const struct unit_function *function = function_find(taking, known->function);
    if (known->other || !function)
        return;
    uint32_t leaf = paths_parent(taking, known->paths, function);
    stacks_add(stacks, stacks_node(stacks, leaf, function->at.module, path), STACK_CALLS, count);
}

static int known_order(const void *a, const void *b)
{
    const struct unit_path *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static void known_paths_find(struct taking *taking)
{
    const struct unit_paths *paths = &taking->process->units->paths;
    for (size_t i = 0; i < paths->n; i++)
        if (paths->at[i].in_node)
            *vec_push(&taking->known) = paths->at[i];
    if (taking->known.n)
        qsort(taking->known.at, taking->known.n, sizeof *taking->known.at, known_order);
}

/* Which path a counter of a node is of; UINT64_MAX: nobody has told. */
static uint64_t path_of(const struct taking *taking, const struct wire_node *node, uint64_t counter)
{
    if (node->paths != NODE_KNOWN_PATHS)
        return counter;
    struct unit_path wanted = {.function = node->number, .counter = (uint32_t)counter};
    const struct unit_path *found =
        taking->known.n
            ? bsearch(&wanted, taking->known.at, taking->known.n, sizeof wanted, known_order)
            : NULL;
    return found ? found->path : UINT64_MAX;
}

/* Pages that nobody touched are not read: that would make them. */
static void counters_take(const struct taking *taking, const struct known *known,
                          const struct wire_node *node, const unsigned char *bank)
{
    const struct exact_process *process = taking->process;
    uint64_t from = NODES_AT + known->number + sizeof *node;
    uint64_t start = taking->bank_at + from, end = start + 8 * (uint64_t)node_counters(node->paths);
    struct share_stretch stretch = {.start = start, .end = start};
    while (share_next(process->banks->share, &stretch, end))
        for (uint64_t at = stretch.start; at + 8 <= stretch.end; at += 8) {
            uint64_t count;
            memcpy(&count, bank + (at - taking->bank_at), sizeof count);
            if (!count)
                continue;
            uint64_t path = path_of(taking, node, (at - start) / 8);
            path_plans_add(taking->plans, process->profile, process->mappings, node->number, path,
                           count);
            path_add(taking, known, path, count);
        }
}

/* Of functions that have too many for counters. */
static void table_take(const struct taking *taking, const unsigned char *bank)
{
    const struct wire_path *paths = (const void *)(bank + PATHS_AT);
    uint64_t start = taking->bank_at + PATHS_AT;
    struct share_stretch stretch = {.start = start, .end = start};
    while (share_next(taking->process->banks->share, &stretch, start + PATHS_BYTES))
        for (uint64_t i = (stretch.start - start) / sizeof *paths;
             i < (stretch.end - start) / sizeof *paths; i++) {
            const struct known *known =
                paths[i].count && paths[i].node ? known_find(taking, paths[i].node) : NULL;
            if (known)
                path_add(taking, known, paths[i].path, paths[i].count);
        }
}

/* ---- nodes */

static struct known known_of(const struct taking *taking, const struct wire_node *node,
                             uint32_t number, const struct known *parent)
{
    struct profile *profile = taking->process->profile;
    struct known known = {.number = number,
                          .function = node->function,
                          .stack = taking->root,
                          .paths = taking->paths_root,
                          .other = node->function == NODE_OTHERS || (parent && parent->other)};
    if (!parent)
        return known;
    const struct unit_function *caller = function_find(taking, parent->function);
    known.stack = stack_above(&profile->stacks, parent->stack, caller, node->site);
    if (taking->plans->paths)
        known.paths = stack_above(&profile->context_paths, parent->paths, caller, node->site);
    return known;
}

static void ticks_take(struct stacks *stacks, uint32_t leaf, const struct wire_node *node)
{
    uint64_t ticks = node_ticks_whole(node);
    if (ticks)
        stacks_add(stacks, leaf, STACK_TICKS, ticks);
    if (node->timed)
        stacks_add(stacks, leaf, STACK_TIMED, node->timed);
    if (node->timed)
        stacks_add(stacks, leaf, STACK_VISITS, node_stays_whole(node));
    if (node->spread)
        stacks_add(stacks, leaf, STACK_SPREAD, node->spread);
}

static bool node_take(struct taking *taking, const struct wire_node *node, uint32_t number,
                      const unsigned char *bank)
{
    struct stacks *stacks = &taking->process->profile->stacks;
    const struct known *parent = number ? known_find(taking, node->parent) : NULL;
    if (number && !parent)
        return false;
    struct known known = known_of(taking, node, number, parent);
    const struct unit_function *function = function_find(taking, node->function);
    taking->lost += known.other ? node->count : 0;
    if (function && !known.other && (node->count || node->ticks)) {
        uint32_t leaf =
            stacks_node(stacks, known.stack, function->at.module, function->at.address.v);
        stacks_add(stacks, leaf, STACK_CALLS, node->count);
        ticks_take(stacks, leaf, node);
    }
    *vec_push(&taking->nodes) = known;
    if (function && node->paths && taking->plans->paths)
        counters_take(taking, &known, node, bank);
    return function || !number || node->function >= NODE_SIGNALS;
}

static bool node_fits(const struct wire_node *node, uint32_t at)
{
    return node->bytes >= sizeof *node && node->bytes % 8 == 0 && node->bytes <= NODES_BYTES - at &&
           node->paths <= PLAN_PATHS_MAX &&
           8 * node_counters(node->paths) <= node->bytes - sizeof *node;
}

static void bank_take(struct taking *taking, const unsigned char *bank, uint64_t bank_at)
{
    uint32_t at = 0;
    taking->nodes.n = 0;
    taking->bank_at = bank_at;
    while (at <= NODES_BYTES - sizeof(struct wire_node)) {
        struct wire_node node;
        memcpy(&node, bank + NODES_AT + at, sizeof node);
        if (!node.bytes)
            break;
        if (!node_fits(&node, at)) {
            taking->garbled++;
            break;
        }
        taking->garbled += !node_take(taking, &node, at, bank);
        taking->record_bytes += node.bytes;
        at += node.bytes;
    }
    taking->records += taking->nodes.n;
    if (taking->plans->paths)
        table_take(taking, bank);
}

uint64_t call_tree_take(struct path_plans *plans, const struct exact_process *process)
{
    uint32_t pid = (uint32_t)process->mappings->pid, index = process->banks->index;
    struct profile *profile = process->profile;
    struct taking taking = {.process = process, .plans = plans};
    taking.root = stacks_node(&profile->stacks, STACK_NONE, MODULE_NONE, stack_thread(pid, pid));
    if (plans->paths)
        taking.paths_root =
            stacks_node(&profile->context_paths, STACK_NONE, MODULE_NONE, stack_thread(pid, pid));
    known_paths_find(&taking);
    bank_take(&taking, (const unsigned char *)process->channel + CHANNEL_COUNTERS_AT,
              share_own_bank_at(index));
    uint64_t slots = share_load(&process->channel->n_threads);
    for (uint32_t i = 0; i < slots && i < CHANNEL_THREADS; i++) {
        const void *bank = banks_map(process->banks, i);
        if (bank)
            bank_take(&taking, bank, channel_bank_at(index, i));
    }
    sum_add(&profile->totals.losses[LOSS_context_lost], taking.lost);
    stacks_add(&profile->stacks, taking.root, STACK_RECORDS, taking.records);
    stacks_add(&profile->stacks, taking.root, STACK_RECORD_BYTES, taking.record_bytes);
    vec_release(&taking.nodes);
    vec_release(&taking.known);
    return taking.garbled;
}
