#include "walk/contexts.h"

#include "walk/sys.h"
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

/* Slots for all crossings that its code can have: calls, jumps to elsewhere; many for each call of what is computed; and one for the rest. */
static uint32_t slots_count(const struct regions *regions, const struct contexts_function *function)
{
    enum { MANY = 16, SLOTS_MAX = 4096 };
    uint32_t n = 1;
    for (uint64_t pc = function->start; pc < function->end && n < SLOTS_MAX;) {
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

static uint32_t function_add(struct contexts *contexts, uint64_t start, uint64_t bytes,
                             uint32_t slice)
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
    *function = (struct contexts_function){.start = start, .end = start + bytes, .slice = slice};
    function->slots = slots_count(contexts->regions, function);
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
    return function_add(contexts, start, function->bytes, plan_slice_number(contexts->plan, pc));
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

static void slot_give(struct contexts *contexts, struct crossing *crossing)
{
    struct contexts_function *function = &contexts->functions[crossing->function];
    bool needs = crossing->kind != CROSSING_NOTHING && crossing->kind != CROSSING_ENTER &&
                 crossing->kind != CROSSING_REJOIN;
    if (!needs || !crossing->function)
        return;
    function->used += function->used < function->slots; /* the last is shared */
    crossing->slot = (uint16_t)function->used;
}

uint32_t contexts_crossing(struct contexts *contexts, uint64_t from, uint64_t to,
                           enum crossing_way way)
{
    if (way == WAY_RETURN && behind_a_call(contexts->regions, to))
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
    crossing.kind = (uint8_t)kind_of(contexts, &crossing, way);
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

static struct wire_node *node_at(uint8_t *bank, uint32_t number)
{
    return (struct wire_node *)(void *)(bank + NODES_AT + number);
}

static uint8_t *bank_of(struct context *context)
{
    return (uint8_t *)context->counters;
}

struct tree {
    uint8_t *bank;
    uint32_t *used, *n; /* bytes, nodes */
    uint32_t nodes_max;
};

/* 0: there is no room for it. */
static uint32_t node_add(const struct tree *tree, uint32_t parent, uint64_t site, uint32_t function,
                         uint32_t slots)
{
    uint32_t bytes = (uint32_t)sizeof(struct wire_node) + 8 * slots, number = *tree->used;
    if (*tree->n >= tree->nodes_max || bytes > NODES_BYTES - 4096 - number)
        return 0;
    struct wire_node *node = node_at(tree->bank, number), *above = node_at(tree->bank, parent);
    node->function = function;
    node->parent = parent;
    node->site = site;
    node->slots = slots;
    node->next = above->first;
    *tree->used = number + bytes;
    ++*tree->n;
    __atomic_store_n(&node->bytes, bytes, __ATOMIC_RELEASE);
    above->first = number;
    return number;
}

static uint32_t child_find(const struct tree *tree, uint32_t parent, uint64_t site,
                           uint32_t function)
{
    struct wire_node *above = node_at(tree->bank, parent);
    uint32_t before = 0;
    for (uint32_t at = above->first; at; before = at, at = node_at(tree->bank, at)->next) {
        struct wire_node *node = node_at(tree->bank, at);
        if (node->function != function || node->site != site)
            continue;
        if (before) { /* to the front */
            node_at(tree->bank, before)->next = node->next;
            node->next = above->first;
            above->first = at;
        }
        return at;
    }
    return 0;
}

/* The node itself, or one above it, of the function; 0: none. */
static uint32_t above_find(uint8_t *bank, uint32_t at, uint32_t function)
{
    for (; at; at = node_at(bank, at)->parent)
        if (node_at(bank, at)->function == function)
            return at;
    return 0;
}

static struct tree tree_of(const struct contexts *contexts, struct context *context)
{
    return (struct tree){.bank = bank_of(context),
                         .used = &context->nodes_used,
                         .n = &context->n_nodes,
                         .nodes_max = contexts->nodes_max};
}

static uint32_t others_get(const struct tree *tree)
{
    uint32_t others = child_find(tree, 0, 0, NODE_OTHERS);
    struct tree one_more = *tree;
    one_more.nodes_max = UINT32_MAX;
    return others ? others : node_add(&one_more, 0, 0, NODE_OTHERS, 0);
}

/* The child of a node that a call leads to, or the one above that it leads back to. */
static uint32_t child_get(const struct contexts *contexts, const struct tree *tree, uint32_t parent,
                          uint64_t site, uint32_t function)
{
    if (node_at(tree->bank, parent)->function == NODE_OTHERS)
        return parent;
    uint32_t child = child_find(tree, parent, site, function);
    if (!child)
        child = above_find(tree->bank, parent, function);
    if (!child)
        child = node_add(tree, parent, site, function, contexts->functions[function].slots);
    return child ? child : others_get(tree);
}

/* ---- what happens */

static void account(const struct contexts *contexts, struct context *context)
{
    if (!contexts->ticks)
        return;
    uint64_t now = sys_tsc();
    node_at(bank_of(context), (uint32_t)context->node)->ticks += now - context->node_began;
    context->node_began = now;
}

/* The program is in that function, whatever the node says: one above it, or a new one that nobody has called. */
static void rejoin(const struct contexts *contexts, struct context *context, uint32_t function)
{
    struct tree tree = tree_of(contexts, context);
    uint32_t node = (uint32_t)context->node;
    if (node_at(tree.bank, node)->function == NODE_OTHERS)
        return;
    uint32_t above = above_find(tree.bank, node, function);
    context->node = above ? above : child_get(contexts, &tree, node, 0, function);
}

static void enter(const struct contexts *contexts, struct context *context, uint64_t site,
                  uint32_t slot, uint32_t callee)
{
    struct tree tree = tree_of(contexts, context);
    uint32_t child = child_get(contexts, &tree, (uint32_t)context->node, site, callee);
    struct wire_node *node = node_at(tree.bank, child);
    bool lost = node->function == NODE_OTHERS;
    if (slot && !lost)
        *(uint64_t *)(void *)(tree.bank + NODES_AT + slot) =
            (uint64_t)(NODE_TAG | callee) << 32 | child;
    if (lost && contexts->lost)
        __atomic_fetch_add(contexts->lost, 1, __ATOMIC_RELAXED);
    account(contexts, context);
    context->node = child;
    node->count++;
}

static uint64_t site_of(const struct crossing *crossing)
{
    return crossing->function && crossing->length ? crossing->from + crossing->length - 1 : 0;
}

/* Where the slot of a crossing is in the current node; 0: it has none. */
static uint32_t slot_at(const struct contexts *contexts, struct context *context,
                        const struct crossing *crossing)
{
    (void)contexts;
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    bool fits =
        crossing->slot && node->function == crossing->function && crossing->slot <= node->slots;
    return fits ? (uint32_t)context->node + (uint32_t)sizeof *node + 8 * (crossing->slot - 1u) : 0;
}

static void take_back(const struct contexts *contexts, struct context *context)
{
    account(contexts, context);
    context->node = context_shadow(context, context->gpr[RSP])->node;
}

static void arrive(const struct contexts *contexts, struct context *context, uint32_t function)
{
    uint64_t put_by = context_shadow(context, context->gpr[RSP])->node;
    account(contexts, context);
    if (node_at(bank_of(context), (uint32_t)put_by)->function == function)
        context->node = put_by;
    else
        rejoin(contexts, context, function);
}

void contexts_apply(const struct contexts *contexts, uint32_t number, struct context *context)
{
    if (!number)
        return;
    if (number == CONTEXTS_RETURNS) {
        take_back(contexts, context);
        return;
    }
    const struct crossing *crossing = &contexts->crossings[number];
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    bool leaves = crossing->kind != CROSSING_ENTER && crossing->kind != CROSSING_REJOIN;
    if (leaves && crossing->function && node->function != crossing->function)
        rejoin(contexts, context, crossing->function);
    if (crossing->kind == CROSSING_CALL || crossing->kind == CROSSING_PENDING)
        context_shadow(context, context->gpr[RSP] + 8)->node = context->node;
    uint32_t slot = slot_at(contexts, context, crossing);
    switch ((enum crossing_kind)crossing->kind) {
    case CROSSING_CALL:
    case CROSSING_TAIL: enter(contexts, context, site_of(crossing), slot, crossing->callee); break;
    case CROSSING_PENDING:
    case CROSSING_PENDING_TAIL:
        context->pending_slot = slot;
        context->pending = number;
        break;
    case CROSSING_ENTER:
        enter(contexts, context, site_of(&contexts->crossings[context->pending]),
              (uint32_t)context->pending_slot, crossing->callee);
        break;
    case CROSSING_REJOIN: arrive(contexts, context, crossing->callee); break;
    case CROSSING_NOTHING: break;
    }
}

/* ---- trees */

void contexts_begin(struct context *context)
{
    struct wire_node *root = node_at(bank_of(context), 0);
    root->bytes = sizeof *root;
    context->nodes_used = sizeof *root;
    context->n_nodes = 1;
    context->node = context->pending_slot = context->pending = 0;
    context->node_began = sys_tsc();
}

void contexts_signal(const struct contexts *contexts, struct context *context, uint32_t signal,
                     uint64_t sp)
{
    struct tree tree = tree_of(contexts, context);
    struct shadow *shadow = context_shadow(context, sp);
    uint32_t root = child_find(&tree, 0, 0, NODE_SIGNALS + signal);
    account(contexts, context);
    shadow->node = context->node;
    shadow->pending = context->pending_slot << 32 | context->pending;
    if (!root)
        root = node_add(&tree, 0, 0, NODE_SIGNALS + signal, 0);
    context->node = root ? root : others_get(&tree);
    node_at(tree.bank, (uint32_t)context->node)->count++;
    context->pending_slot = context->pending = 0;
}

void contexts_signal_end(const struct contexts *contexts, struct context *context, uint64_t sp)
{
    const struct shadow *shadow = context_shadow(context, sp);
    account(contexts, context);
    context->node = shadow->node;
    context->pending_slot = shadow->pending >> 32;
    context->pending = (uint32_t)shadow->pending;
}

/* Where the records of a bank end. */
static uint32_t nodes_end(uint8_t *bank, uint32_t *ret_n)
{
    uint32_t at = 0;
    for (*ret_n = 0; at < NODES_BYTES - 4096 && node_at(bank, at)->bytes; ++*ret_n)
        at += node_at(bank, at)->bytes;
    return at;
}

void contexts_merge(const struct contexts *contexts, struct context *context, uint8_t *bank)
{
    uint8_t *own = bank_of(context);
    uint32_t n, used;
    account(contexts, context);
    if (!node_at(bank, 0)->bytes)
        node_at(bank, 0)->bytes = sizeof(struct wire_node);
    used = nodes_end(bank, &n);
    struct tree tree = {.bank = bank, .used = &used, .n = &n, .nodes_max = UINT32_MAX};
    for (uint32_t at = 0, bytes; at < context->nodes_used; at += bytes) {
        struct wire_node *node = node_at(own, at);
        bytes = node->bytes;
        uint32_t parent = node_at(own, node->parent)->first, there = 0;
        if (at) {
            there = child_find(&tree, parent, node->site, node->function);
            there = there ? there : node_add(&tree, parent, node->site, node->function, 0);
            there = there ? there : others_get(&tree);
        }
        node->first = there; /* where it is now: its children come later */
        node_at(bank, there)->count += node->count;
        node_at(bank, there)->ticks += node->ticks;
    }
}

/* Slots may lead to nodes that the parent has made since. */
static void slots_check(struct wire_node *node, uint32_t used)
{
    uint64_t *slots = (uint64_t *)(void *)(node + 1);
    for (uint32_t i = 0; i < node->slots; i++)
        if ((uint32_t)slots[i] >= used)
            slots[i] = 0;
}

void contexts_copy(const struct context *context, uint8_t *bank)
{
    const uint8_t *from = (const uint8_t *)context->counters + NODES_AT;
    __builtin_memcpy(bank + NODES_AT, from, context->nodes_used);
    for (uint32_t at = 0; at < context->nodes_used; at += node_at(bank, at)->bytes) {
        struct wire_node *node = node_at(bank, at);
        node->count = node->ticks = 0;
        node->first = node->first < context->nodes_used ? node->first : 0;
        node->next = node->next < context->nodes_used ? node->next : 0;
        slots_check(node, context->nodes_used);
    }
}
