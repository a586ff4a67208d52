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

/* Slots for all transfers of its code: calls, jumps elsewhere, many for each indirect call, one
 * more. */
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

/* ---- transfers */

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

static enum transfer_kind kind_of(const struct contexts *contexts, const struct transfer *transfer,
                                  enum transfer_way way)
{
    bool start = transfer->callee && contexts->functions[transfer->callee].start == transfer->to;
    switch (way) {
    case WAY_CALL:
    case WAY_COMPUTED_CALL: return start ? TRANSFER_CALL : TRANSFER_PENDING;
    case WAY_RETURN: return transfer->callee ? TRANSFER_REJOIN : TRANSFER_NOTHING;
    default: break;
    }
    if (transfer->function == transfer->callee)
        return TRANSFER_NOTHING;
    if (start)
        return transfer->function ? TRANSFER_TAIL : TRANSFER_ENTER;
    if (!transfer->function)
        return TRANSFER_NOTHING;
    return transfer->callee ? TRANSFER_REJOIN : TRANSFER_PENDING_TAIL;
}

static uint8_t branch_length(const struct regions *regions, uint64_t pc)
{
    struct insn insn;
    size_t room = pc ? regions_peek(regions, pc) : 0;
    return room && insn_decode((const uint8_t *)pc, room, &insn) ? insn.length : 0;
}

/* Whoever it begins with is left: for another function, or for code that is none. */
static bool transfer_leaves(const struct transfer *transfer)
{
    switch ((enum transfer_kind)transfer->kind) {
    case TRANSFER_CALL:
    case TRANSFER_TAIL:
    case TRANSFER_PENDING:
    case TRANSFER_PENDING_TAIL: return true;
    default: return false;
    }
}

static void slot_give(struct contexts *contexts, struct transfer *transfer)
{
    struct contexts_function *function = &contexts->functions[transfer->function];
    if (!transfer_leaves(transfer) || !transfer->function)
        return;
    function->used += function->used < function->slots; /* the last is shared */
    transfer->slot = (uint16_t)function->used;
}

uint32_t contexts_transfer(struct contexts *contexts, uint64_t from, uint64_t to,
                           enum transfer_way way)
{
    bool returns = way == WAY_RETURN && behind_a_call(contexts->regions, to);
    if (returns && function_at(contexts, to))
        return CONTEXTS_RETURNS;
    uint32_t slice = plan_slice_number(contexts->plan, to), number;
    uint32_t at = hash(from, to, 2 * CONTEXTS_TRANSFERS);
    for (; (number = contexts->transfer_index[at]); at = (at + 1) % (2 * CONTEXTS_TRANSFERS)) {
        const struct transfer *known = &contexts->transfers[number];
        if (known->from == from && known->to == to && known->slice == slice)
            return known->kind == TRANSFER_NOTHING ? 0 : number;
    }
    if (contexts->n_transfers + 1 >= CONTEXTS_TRANSFERS)
        return 0;
    struct transfer transfer = {.from = from,
                                .to = to,
                                .slice = slice,
                                .function = from ? function_at(contexts, from) : 0,
                                .callee = function_at(contexts, to)};
    transfer.kind = returns ? TRANSFER_BACK : (uint8_t)kind_of(contexts, &transfer, way);
    transfer.length = branch_length(contexts->regions, from);
    if (transfer.kind == TRANSFER_NOTHING)
        return 0;
    slot_give(contexts, &transfer);
    number = ++contexts->n_transfers;
    contexts->transfers[number] = transfer;
    contexts->transfer_index[at] = number;
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

/* The program is in that function, whatever the node says: a node above, or a new one without a
 * caller. */
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

static uint64_t site_of(const struct contexts *contexts, const struct transfer *transfer)
{
    bool known = transfer->function && transfer->length && !contexts->merges_sites;
    return known ? transfer->from + transfer->length - 1 : 0;
}

/* Where the slot of a transfer is in the current node; 0: it has none. */
static uint32_t slot_at(const struct contexts *contexts, struct context *context,
                        const struct transfer *transfer)
{
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    bool fits =
        transfer->slot && node->function == transfer->function && transfer->slot <= node->slots;
    return fits ? (uint32_t)(context->node + contexts_slot(contexts, transfer)) : 0;
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

/* Code that is no function counts as the function that went there: its calls are from that place.
 */
static uint64_t pending_site(const struct contexts *contexts, struct context *context)
{
    const struct transfer *pending = &contexts->transfers[context->pending];
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
                          const struct transfer *transfer)
{
    return transfer->function ? site_of(contexts, transfer) : pending_site(contexts, context);
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
    const struct transfer *transfer = &contexts->transfers[number];
    const struct wire_node *node = node_at(bank_of(context), (uint32_t)context->node);
    if (transfer_leaves(transfer) && transfer->function && node->function != transfer->function)
        rejoin(contexts, context, transfer->function);
    if (transfer->kind == TRANSFER_CALL || transfer->kind == TRANSFER_PENDING) {
        struct shadow *shadow = context_shadow(context, context->gpr[RSP] + 8);
        shadow->node = context->node;
        shadow->pending = pending_word(context);
    }
    uint32_t slot = slot_at(contexts, context, transfer);
    switch ((enum transfer_kind)transfer->kind) {
    case TRANSFER_CALL:
    case TRANSFER_TAIL:
        enter(contexts, context, site_from(contexts, context, transfer), slot, transfer->callee);
        break;
    case TRANSFER_PENDING:
    case TRANSFER_PENDING_TAIL:
        if (transfer->function)
            pending_restore(context, (uint64_t)slot << 32 | number);
        break;
    case TRANSFER_ENTER:
        enter(contexts, context, pending_site(contexts, context), (uint32_t)context->pending_slot,
              transfer->callee);
        break;
    case TRANSFER_BACK:
        take_back(contexts, context);
        pending_restore(context, context_shadow(context, context->gpr[RSP])->pending);
        break;
    case TRANSFER_REJOIN: arrive(contexts, context, transfer->callee); break;
    case TRANSFER_NOTHING: break;
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
