#include "walk/count/contexts.h"

#include "walk/count/node_merge.h"
#include "walk/count/node_ticks.h"
#include "walk/base/sys.h"
#include "x86/insn.h"

static uint32_t hash(uint64_t a, uint64_t b, uint32_t size)
{
    return (uint32_t)(((a ^ b << 1) * UINT64_C(0x9E3779B97F4A7C15)) >> 32) % size;
}

/* ---- functions */

static bool leads_out(const struct insn *insn, uint64_t pc,
                      const struct contexts_function *function)
{
    uint64_t target = insn_target(insn, pc);
    return target < function->start || target >= function->end;
}

enum { MANY = 16, SLOTS_MAX = 4096 };

/* Those that one stretch of its code needs. */
static uint32_t slots_of(const struct regions *regions, const struct contexts_function *function,
                         uint64_t start, uint64_t end)
{
    uint32_t n = 0;
    for (uint64_t pc = start; pc < end && n < SLOTS_MAX;) {
        struct insn insn;
        size_t room = regions_peek(regions, pc);
        if (room == 0 || !insn_decode((const uint8_t *)pc, room, &insn)) {
            pc++;
            continue;
        }
        switch (insn.class) {
        case INSN_CALL:
        case INSN_IJUMP: n++; break;
        case INSN_ICALL: n += MANY; break;
        case INSN_JUMP:
        case INSN_COND: n += leads_out(&insn, pc, function); break;
        default: break;
        }
        pc += insn.length;
    }
    return n;
}

/* Slots for all crossings that its code can have: calls, jumps to elsewhere; many for each call of
 * what is computed; and one for the rest. */
static uint32_t slots_count(const struct contexts *contexts,
                            const struct contexts_function *function)
{
    uint32_t n = 1 + slots_of(contexts->regions, function, function->start, function->end), at = 0;
    const struct wire_plan_function *part = NULL;
    uint64_t start;
    while (function->parted && n < SLOTS_MAX &&
           (part = plan_part(contexts->plan, function->start, &at, &start)))
        n += slots_of(contexts->regions, function, start, start + part->bytes);
    return n;
}

static uint32_t function_add(struct contexts *contexts, uint64_t start,
                             const struct wire_plan_function *told, uint32_t slice)
{
    uint32_t at = hash(start, slice, 2 * CONTEXTS_FUNCTIONS), number;
    for (; (number = contexts->function_index[at]); at = (at + 1) % (2 * CONTEXTS_FUNCTIONS))
        if (contexts->functions[number].start == start &&
            contexts->functions[number].slice == slice)
            return number;
    if (contexts->n_functions + 1 >= CONTEXTS_FUNCTIONS)
        return 0;
    number = ++contexts->n_functions;
    struct contexts_function *function = &contexts->functions[number];
    *function = (struct contexts_function){.start = start,
                                           .end = start + told->bytes,
                                           .slice = slice,
                                           .number = contexts->paths ? told->number : 0,
                                           .paths = contexts->paths ? told->paths : 0,
                                           .parted = told->flags & PLAN_PARTED};
    function->slots = slots_count(contexts, function);
    contexts->function_index[at] = number;
    return number;
}

/* The function that an address lies in, by number; 0: none. */
static uint32_t function_at(struct contexts *contexts, uint64_t pc)
{
    uint64_t start;
    const struct wire_plan_function *function = plan_function(contexts->plan, pc, &start);
    if (!function || !(function->flags & PLAN_FUNCTION))
        return 0;
    uint64_t of = start - function->start + function->of;
    if (of != start && !(function = plan_function(contexts->plan, of, &start)))
        return 0;
    uint32_t slice = plan_slice_number(contexts->plan, of);
    return start == of ? function_add(contexts, start, function, slice) : 0;
}

/* ---- crossings */

static bool behind_a_call(const struct regions *regions, uint64_t pc)
{
    for (uint32_t length = 2; length <= 8; length++) {
        struct insn insn;
        if (regions_peek(regions, pc - length) < length ||
            !insn_decode((const uint8_t *)(pc - length), length, &insn))
            continue;
        if (insn.length == length && (insn.class == INSN_CALL || insn.class == INSN_ICALL))
            return true;
    }
    return false;
}

static enum crossing_kind kind_of(const struct contexts *contexts, const struct crossing *crossing,
                                  enum crossing_way way)
{
    bool start = crossing->callee && contexts->functions[crossing->callee].start == crossing->to;
    switch (way) {
    case WAY_CALL:
    case WAY_COMPUTED_CALL: return start ? CROSSING_CALL : CROSSING_PENDING;
    case WAY_RETURN: return crossing->callee ? CROSSING_REJOIN : CROSSING_NOTHING;
    default: break;
    }
    if (crossing->function == crossing->callee)
        return CROSSING_NOTHING;
    if (start)
        return crossing->function ? CROSSING_TAIL : CROSSING_ENTER;
    if (!crossing->function)
        return CROSSING_NOTHING;
    return crossing->callee ? CROSSING_REJOIN : CROSSING_PENDING_TAIL;
}

static uint8_t branch_length(const struct regions *regions, uint64_t pc)
{
    struct insn insn;
    size_t room = pc ? regions_peek(regions, pc) : 0;
    return room && insn_decode((const uint8_t *)pc, room, &insn) ? insn.length : 0;
}

/* Whoever it begins with is left: for another function, or for code that is none. */
static bool crossing_leaves(const struct crossing *crossing)
{
    switch ((enum crossing_kind)crossing->kind) {
    case CROSSING_CALL:
    case CROSSING_TAIL:
    case CROSSING_PENDING:
    case CROSSING_PENDING_TAIL: return true;
    default: return false;
    }
}

static void slot_give(struct contexts *contexts, struct crossing *crossing)
{
    struct contexts_function *function = &contexts->functions[crossing->function];
    if (!crossing_leaves(crossing) || !crossing->function)
        return;
    function->used += function->used < function->slots; /* the last is shared */
    crossing->slot = (uint16_t)function->used;
}

uint32_t contexts_crossing(struct contexts *contexts, uint64_t from, uint64_t to,
                           enum crossing_way way)
{
    bool returns = way == WAY_RETURN && behind_a_call(contexts->regions, to);
    if (returns && function_at(contexts, to))
        return CONTEXTS_RETURNS;
    uint32_t slice = plan_slice_number(contexts->plan, to), number;
    uint32_t at = hash(from, to, 2 * CONTEXTS_CROSSINGS);
    for (; (number = contexts->crossing_index[at]); at = (at + 1) % (2 * CONTEXTS_CROSSINGS)) {
        const struct crossing *known = &contexts->crossings[number];
        if (known->from == from && known->to == to && known->slice == slice)
            return known->kind == CROSSING_NOTHING ? 0 : number;
    }
    if (contexts->n_crossings + 1 >= CONTEXTS_CROSSINGS)
        return 0;
    struct crossing crossing = {.from = from,
                                .to = to,
                                .slice = slice,
                                .function = from ? function_at(contexts, from) : 0,
                                .callee = function_at(contexts, to)};
    crossing.kind = returns ? CROSSING_BACK : (uint8_t)kind_of(contexts, &crossing, way);
    crossing.length = branch_length(contexts->regions, from);
    if (crossing.kind == CROSSING_NOTHING)
        return 0;
    slot_give(contexts, &crossing);
    number = ++contexts->n_crossings;
    contexts->crossings[number] = crossing;
    contexts->crossing_index[at] = number;
    return number;
}

/* ---- nodes */

static uint8_t *bank_of(struct context *context)
{
    return (uint8_t *)context->counters;
}

static struct node_tree tree_of(const struct contexts *contexts, struct context *context)
{
    return (struct node_tree){.bank = bank_of(context),
                              .used = &context->nodes_used,
                              .n = &context->n_nodes,
                              .nodes_max = contexts->nodes_max,
                              .counts_paths = contexts->paths};
}

/* The child of a node that a call leads to, or the one above that it leads back to. */
static uint32_t child_get(const struct contexts *contexts, const struct node_tree *tree,
                          uint32_t parent, uint64_t site, uint32_t function)
{
    const struct contexts_function *called = &contexts->functions[function];
    uint32_t child =
        node_is_other(tree->bank, parent) ? 0 : node_child_find(tree, parent, site, function);
    if (!child)
        child = node_above_find(tree->bank, parent, function);
    if (!child)
        child = node_child_get(tree, parent, site,
                               &(struct node_kind){.function = function,
                                                   .number = called->number,
                                                   .slots = called->slots,
                                                   .paths = called->paths});
    return child;
}

/* ---- what happens */

/* The stay in the node is at its end. */
static void stay_end(const struct contexts *contexts, struct context *context)
{
    if (contexts->ticks_some) {
        node_stay_end(context, sys_tsc());
        return;
    }
    if (!contexts->ticks)
        return;
    uint64_t now = sys_tsc();
    node_at(bank_of(context), (uint32_t)context->node)->ticks += now - context->node_began;
    context->node_began = now;
}

/* And in another one it begins. */
static void stay_begin(const struct contexts *contexts, struct context *context, uint64_t node)
{
    context->node = node;
    if (contexts->ticks_some)
        node_stay_begin(context);
}

/* The program is in that function, whatever the node says: one above it, or a new one that nobody
 * has called. */
static void rejoin(const struct contexts *contexts, struct context *context, uint32_t function)
{
    struct node_tree tree = tree_of(contexts, context);
    uint32_t node = (uint32_t)context->node;
    uint32_t above = node_above_find(tree.bank, node, function);
    stay_end(contexts, context);
    stay_begin(contexts, context, above ? above : child_get(contexts, &tree, node, 0, function));
}

static void enter(const struct contexts *contexts, struct context *context, uint64_t site,
                  uint32_t slot, uint32_t callee)
{
    struct node_tree tree = tree_of(contexts, context);
    uint32_t child = child_get(contexts, &tree, (uint32_t)context->node, site, callee);
    struct wire_node *node = node_at(tree.bank, child);
    if (slot && node->function == callee)
        *(uint64_t *)(void *)(tree.bank + NODES_AT + slot) =
            (uint64_t)(NODE_TAG | callee) << 32 | child;
    stay_end(contexts, context);
    node->count++;
    stay_begin(contexts, context, child);
}

static uint64_t site_of(const struct contexts *contexts, const struct crossing *crossing)
{
    bool known = crossing->function && crossing->length && !contexts->merges_sites;
    return known ? crossing->from + crossing->length - 1 : 0;
}

/* Where the slot of a crossing is in the current node; 0: it has none. */
static uint32_t slot_at(const struct contexts *contexts, struct context *context,
                        const struct crossing *crossing)
{
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    bool fits =
        crossing->slot && node->function == crossing->function && crossing->slot <= node->slots;
    return fits ? (uint32_t)(context->node + contexts_slot(contexts, crossing)) : 0;
}

static void take_back(const struct contexts *contexts, struct context *context)
{
    stay_end(contexts, context);
    stay_begin(contexts, context, context_shadow(context, context->gpr[RSP])->node);
}

static void arrive(const struct contexts *contexts, struct context *context, uint32_t function)
{
    uint64_t put_by = context_shadow(context, context->gpr[RSP])->node;
    if (node_at(bank_of(context), (uint32_t)put_by)->function != function) {
        rejoin(contexts, context, function);
        return;
    }
    stay_end(contexts, context);
    stay_begin(contexts, context, put_by);
}

/* Code that is no function is where the function was that went there: what it calls is called from
 * that place. */
static uint64_t pending_site(const struct contexts *contexts, struct context *context)
{
    const struct crossing *pending = &contexts->crossings[context->pending];
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    return pending->function == node->function ? site_of(contexts, pending) : 0;
}

static uint64_t pending_word(const struct context *context)
{
    return context->pending_slot << 32 | context->pending;
}

static void pending_restore(struct context *context, uint64_t word)
{
    context->pending_slot = word >> 32;
    context->pending = (uint32_t)word;
}

/* The branch's own place, if it is a function's. */
static uint64_t site_from(const struct contexts *contexts, struct context *context,
                          const struct crossing *crossing)
{
    return crossing->function ? site_of(contexts, crossing) : pending_site(contexts, context);
}

void contexts_apply(const struct contexts *contexts, uint32_t number, struct context *context)
{
    if (!number)
        return;
    if (number == CONTEXTS_TIMED) {
        node_stay_end(context, context->node_ended);
        return;
    }
    if (number == CONTEXTS_RETURNS) {
        take_back(contexts, context);
        return;
    }
    const struct crossing *crossing = &contexts->crossings[number];
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    if (crossing_leaves(crossing) && crossing->function && node->function != crossing->function)
        rejoin(contexts, context, crossing->function);
    if (crossing->kind == CROSSING_CALL || crossing->kind == CROSSING_PENDING) {
        struct shadow *shadow = context_shadow(context, context->gpr[RSP] + 8);
        shadow->node = context->node;
        shadow->pending = pending_word(context);
    }
    uint32_t slot = slot_at(contexts, context, crossing);
    switch ((enum crossing_kind)crossing->kind) {
    case CROSSING_CALL:
    case CROSSING_TAIL:
        enter(contexts, context, site_from(contexts, context, crossing), slot, crossing->callee);
        break;
    case CROSSING_PENDING:
    case CROSSING_PENDING_TAIL:
        if (crossing->function)
            pending_restore(context, (uint64_t)slot << 32 | number);
        break;
    case CROSSING_ENTER:
        enter(contexts, context, pending_site(contexts, context), (uint32_t)context->pending_slot,
              crossing->callee);
        break;
    case CROSSING_BACK:
        take_back(contexts, context);
        pending_restore(context, context_shadow(context, context->gpr[RSP])->pending);
        break;
    case CROSSING_REJOIN: arrive(contexts, context, crossing->callee); break;
    case CROSSING_NOTHING: break;
    }
}

/* ---- trees */

void contexts_begin(const struct contexts *contexts, struct context *context)
{
    struct node_tree tree = tree_of(contexts, context);
    node_tree_begin(&tree);
    context->node = context->pending_slot = context->pending = 0;
    context->node_timed = 0;
    context->node_lost = context->cpu_tsc = 0;
    context->node_began = sys_tsc();
}

void contexts_signal(const struct contexts *contexts, struct context *context, uint32_t signal,
                     uint64_t sp)
{
    struct node_tree tree = tree_of(contexts, context);
    struct shadow *shadow = context_shadow(context, sp);
    stay_end(contexts, context);
    shadow->node = context->node;
    shadow->pending = pending_word(context);
    uint32_t node = node_special_get(&tree, NODE_SIGNALS + signal);
    node_at(tree.bank, node)->count++;
    stay_begin(contexts, context, node);
    context->pending_slot = context->pending = 0;
}

void contexts_signal_end(const struct contexts *contexts, struct context *context, uint64_t sp)
{
    const struct shadow *shadow = context_shadow(context, sp);
    stay_end(contexts, context);
    stay_begin(contexts, context, shadow->node);
    pending_restore(context, shadow->pending);
}

void contexts_merge(const struct contexts *contexts, struct context *context, uint8_t *bank)
{
    struct node_tree tree = tree_of(contexts, context);
    stay_end(contexts, context);
    uint64_t lost = nodes_merge(&tree, bank);
    if (lost)
        context_lose(context->paths_lost, lost);
}

void contexts_copy(const struct contexts *contexts, struct context *context, uint8_t *from,
                   uint8_t *to)
{
    struct node_tree tree = tree_of(contexts, context);
    tree.bank = from;
    nodes_copy(&tree, to);
}
