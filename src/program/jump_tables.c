#include "program/jump_tables.h"

#include "program/cfg.h"
#include "program/evidence.h"
#include "program/image.h"
#include "program/tracker.h"

#include <stdlib.h>

/* More entries than any compiler makes; a range that says more says nothing. */
enum { ENTRIES_MAX = 1 << 16 };
/* How often a block may be looked at again before ranges that still grow are given up. */
enum { PATIENCE = 4 };

#define MANY_WAYS UINT32_MAX

struct finder {
    struct jumps *jumps;
    const struct cfg *cfg;
    const struct image *image;
    const struct symbols *symbols;
    const struct evidence *evidence; /* of the symbols */
    struct operation *operations;
    struct tracker tracker;
    struct state **before; /* for each block: what is known at its start; NULL: not reached */
    uint32_t *way_in;      /* for each block: the only edge that led to it so far, or MANY_WAYS */
    uint8_t *visits;
    bool *waiting;
    block_id lowest;  /* no block below is waiting */
    bool lost;        /* something was forgotten since this was last reset */
    uint64_t *effort; /* that may still be made; 0: give up */
};

const char *cfg_reason_name(enum cfg_reason reason)
{
    static const char *const names[] = {
        [REASON_NONE] = "none",           [REASON_POINTER] = "pointer",
        [REASON_SLOT] = "slot",           [REASON_UNTRACKED] = "untracked",
        [REASON_UNBOUNDED] = "unbounded", [REASON_WRITABLE] = "writable",
        [REASON_ENTRY] = "entry",         [REASON_UNREACHED] = "unreached",
        [REASON_EFFORT] = "effort"};
    return names[reason];
}

/* Whether so much more may be done. */
static bool effort_take(struct finder *finder, uint64_t steps)
{
    *finder->effort = *finder->effort > steps ? *finder->effort - steps : 0;
    return *finder->effort != 0;
}

/* ---- which jumps may be through tables */

static enum cfg_reason reason_at_sight(const struct finder *finder, uint32_t instruction)
{
    const struct cfg *cfg = finder->cfg;
    struct operation operation;
    if (!operation_read(finder->image, &cfg->instructions.at[instruction], &operation) ||
        operation.kind != OPERATION_JUMP)
        return REASON_UNTRACKED;
    if (operation.src.kind == OPERAND_MEMORY && operation.src.index == REGISTER_NONE)
        return operation.src.base == REGISTER_NONE ? REASON_SLOT : REASON_POINTER;
    if (operation.src.kind != OPERAND_REGISTER)
        return REASON_UNREACHED;
    uint8_t reg = operation.src.reg;
    for (uint32_t i = instruction; i-- > cfg->blocks.at[cfg->block_of[instruction]].first;) {
        if (!operation_read(finder->image, &cfg->instructions.at[i], &operation))
            return REASON_UNTRACKED;
        bool sets = operation.kind != OPERATION_PUSH && operation.kind != OPERATION_CMP &&
                    operation.kind != OPERATION_TEST && operation.dst.kind == OPERAND_REGISTER &&
                    operation.dst.reg == reg;
        if (sets)
            return operation.kind == OPERATION_MOVE && operation.src.kind == OPERAND_MEMORY &&
                           operation.src.index == REGISTER_NONE
                       ? REASON_POINTER
                       : REASON_UNREACHED;
    }
    return REASON_UNREACHED;
}

/* Notes every indirect jump; whether any is worth the work. */
static bool jumps_list(struct finder *finder)
{
    bool any = false;
    for (size_t i = 0; i < finder->cfg->instructions.n; i++) {
        if (finder->cfg->instructions.at[i].kind != INSTRUCTION_IJUMP)
            continue;
        struct jump *jump = vec_push(finder->jumps);
        jump->instruction = (uint32_t)i;
        jump->reason = (uint8_t)reason_at_sight(finder, (uint32_t)i);
        any |= jump->reason == REASON_UNREACHED;
    }
    return any;
}

/* ---- tables */

static int target_order(const void *a, const void *b)
{
    const struct svma *x = a, *y = b;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* An entry of which the index was checked is what it is, wherever it leads; any other must lead where
 * this function goes. */
static bool target_possible(const struct finder *finder, const struct jump *jump, bool proved,
                            struct svma target)
{
    if (cfg_find(finder->cfg, target) != INSTRUCTION_NONE)
        return true;
    if (proved)
        return image_executable(finder->image, target);
    function_id function = symbols_find(finder->symbols, target);
    return jump->tail && function != FUNCTION_NONE &&
           finder->symbols->functions.at[function].start.v == target.v;
}

/* Appends the targets of the table's entries. False: one of them leads nowhere. */
static bool entries_read(struct finder *finder, struct jump *jump, bool proved)
{
    struct jump_targets *targets = &finder->jumps->targets;
    size_t start = targets->n;
    for (uint64_t i = 0; i < jump->n; i++) {
        struct svma at = {jump->table.v + (jump->first + i) * jump->entry_bytes}, target;
        if (!evidence_number(finder->evidence, finder->image, at, jump->entry_bytes, &target.v))
            return false;
        if (jump->entry_bytes == 4)
            target.v += jump->base.v;
        if (cfg_ends_at(finder->cfg, target) && !cfg_covers(finder->cfg, target))
            continue;
        if (!target_possible(finder, jump, proved, target))
            return false;
        *vec_push(targets) = target;
    }
    size_t kept = start;
    if (targets->n > start)
        qsort(targets->at + start, targets->n - start, sizeof *targets->at, target_order);
    for (size_t i = start; i < targets->n; i++)
        if (kept == start || targets->at[kept - 1].v != targets->at[i].v)
            targets->at[kept++] = targets->at[i];
    targets->n = kept;
    jump->first_target = (uint32_t)start;
    jump->n_targets = (uint32_t)(kept - start);
    return true;
}

/* Tries the entries from jump->first up to `last`; false: nothing has changed. */
static bool entries_try(struct finder *finder, struct jump *jump, uint64_t last, bool proved)
{
    size_t before = finder->jumps->targets.n;
    if (last < jump->first || last - jump->first >= ENTRIES_MAX)
        return false;
    jump->n = last - jump->first + 1;
    if (effort_take(finder, jump->n) && entries_read(finder, jump, proved))
        return true;
    finder->jumps->targets.n = before;
    return false;
}

/* Where the next table of this function starts. */
static uint64_t next_table(const struct jumps *jumps, const struct jump *except, uint64_t after)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < jumps->n; i++) {
        const struct jump *jump = &jumps->at[i];
        if (jump == except)
            continue;
        uint64_t start = jump->table.v + jump->first * jump->entry_bytes;
        if (jump->entry_bytes && start > after && start < next)
            next = start;
    }
    return next;
}

/* Whether a table of this function that is known reaches up to here. */
static bool table_ends(const struct jumps *jumps, uint64_t at)
{
    for (size_t i = 0; i < jumps->n; i++) {
        const struct jump *jump = &jumps->at[i];
        if (jump->entry_bytes && jump->n &&
            jump->table.v + (jump->first + jump->n) * jump->entry_bytes == at)
            return true;
    }
    return false;
}

enum pointer_kind { POINTER_NONE, POINTER_INNER, POINTER_END };

/* A pointer that linker or loader put there, to the inside of this function, where only its own jumps
 * go, or to its very end. */
static enum pointer_kind pointer_at(const struct finder *finder, uint64_t at)
{
    struct svma target;
    if (!evidence_pointer(finder->evidence, (struct svma){at}) ||
        !evidence_number(finder->evidence, finder->image, (struct svma){at}, 8, &target.v))
        return POINTER_NONE;
    if (cfg_find(finder->cfg, target) != INSTRUCTION_NONE && target.v != finder->cfg->entry.v)
        return POINTER_INNER;
    return cfg_ends_at(finder->cfg, target) ? POINTER_END : POINTER_NONE;
}

/* Up to the last that goes inside: what follows it to the end cannot happen, or is not of this table. */
static uint64_t pointers_run(const struct finder *finder, uint64_t start, uint64_t end)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < ENTRIES_MAX && start + i * 8 < end; i++) {
        enum pointer_kind kind = pointer_at(finder, start + i * 8);
        if (kind == POINTER_NONE)
            break;
        if (kind == POINTER_INNER)
            n = i + 1;
    }
    return n;
}

/* The entries of a table of addresses that nothing else bounds: such pointers, up to where another
 * jump's table starts, if none stands before them but those of another table. If the table's address may have a bias in it, its first entry is not known
 * either: then they must be the only such pointers around, and this the only jump to them. */
static uint64_t pointers_count(const struct finder *finder, struct jump *jump, bool folded)
{
    enum { BIAS_MAX = 256 };
    uint64_t start = jump->table.v + jump->first * 8;
    uint64_t end = next_table(finder->jumps, jump, jump->table.v);
    bool begins = evidence_begins(finder->evidence, (struct svma){start}) ||
                  pointer_at(finder, start - 8) == POINTER_NONE || table_ends(finder->jumps, start);
    if (!folded)
        return begins ? pointers_run(finder, start, end) : 0;
    if (jump->first || pointer_at(finder, start - 8) != POINTER_NONE)
        return 0;
    while (jump->first < BIAS_MAX && pointer_at(finder, start + jump->first * 8) == POINTER_NONE)
        jump->first++;
    start += jump->first * 8;
    uint64_t n = pointers_run(finder, start, UINT64_MAX);
    if (n && end >= start + (n + BIAS_MAX) * 8)
        return n;
    jump->first = 0;
    return 0;
}

/* A table that is counted from its own address is a compiler's switch, and so is one of addresses that
 * has no name where objects have: then its index, wherever it was kept, is the compiler's own. */
static bool index_counts(const struct finder *finder, const struct jump *jump,
                         const struct table_load *load)
{
    bool counted = jump->entry_bytes == 4 && jump->base.v == jump->table.v;
    return !load->weak || counted ||
           (jump->entry_bytes == 8 && evidence_nameless(finder->evidence, jump->table));
}

/* What bounds the index may have been overwritten since. Then the table must end where that says: what
 * follows is another table, or leads out of the function. */
static bool ends_naturally(const struct finder *finder, const struct jump *jump)
{
    struct svma at = {jump->table.v + (jump->first + jump->n) * jump->entry_bytes}, target;
    if (next_table(finder->jumps, jump, at.v - 1) == at.v ||
        evidence_begins(finder->evidence, at) ||
        !evidence_number(finder->evidence, finder->image, at, jump->entry_bytes, &target.v))
        return true;
    if (jump->entry_bytes == 4)
        target.v += jump->base.v;
    return cfg_find(finder->cfg, target) == INSTRUCTION_NONE;
}

static enum cfg_reason entries_settle(struct finder *finder, struct jump *jump, bool weak)
{
    if (!weak || ends_naturally(finder, jump))
        return REASON_NONE;
    finder->jumps->targets.n = jump->first_target;
    jump->n = jump->n_targets = 0;
    return REASON_UNTRACKED;
}

static enum cfg_reason table_resolve(struct finder *finder, struct jump *jump,
                                     const struct table_load *load)
{
    const struct value_range *index = &load->index;
    jump->table.v = load->table;
    jump->entry_bytes = load->bytes;
    jump->first = index->low < ENTRIES_MAX ? index->low : 0;
    struct svma at = {jump->table.v + jump->first * jump->entry_bytes};
    if (!evidence_constant(finder->evidence, at))
        return REASON_WRITABLE;
    /* Without a check the index may be negative, and the address one inside of its table, or of the
     * table before: how far that reaches says something only from its first entry on. */
    bool bounded = index->limit != LIMIT_NONE;
    uint64_t extent = 0;
    if (bounded || evidence_begins(finder->evidence, at))
        extent = evidence_extent(finder->evidence, at) / jump->entry_bytes;
    if (!extent && index->limit == LIMIT_NONE && jump->entry_bytes == 8)
        extent = pointers_count(finder, jump, load->folded);
    uint64_t last = extent ? jump->first + extent - 1 : UINT64_MAX;
    bool checked = index_counts(finder, jump, load) && index->limit != LIMIT_NONE;
    /* As far as was checked, which is the table that was made; else as far as the index goes. */
    if (checked && entries_try(finder, jump, index->limit, index->limit == index->high))
        return entries_settle(finder, jump, load->weak);
    bool proved = extent || checked;
    if (index_counts(finder, jump, load) && index->high < last)
        last = index->high;
    if (entries_try(finder, jump, last, checked))
        return entries_settle(finder, jump, load->weak);
    return proved && last - jump->first < ENTRIES_MAX ? REASON_ENTRY : REASON_UNBOUNDED;
}

static void jump_resolve(struct finder *finder, struct state *state, struct jump *jump)
{
    bool is_memory = finder->operations[jump->instruction].src.kind == OPERAND_MEMORY;
    bool stack_empty = tracker_stack_empty(&finder->tracker, state);
    struct value target = tracker_target(&finder->tracker, state, jump->instruction);
    const struct table_load *load = tracker_load(&finder->tracker, &target);
    *jump = (struct jump){.instruction = jump->instruction, .tail = stack_empty};
    if (target.kind == VALUE_CONST &&
        cfg_find(finder->cfg, (struct svma){target.number}) != INSTRUCTION_NONE) {
        /* The index was a constant, and the entry with it. */
        jump->first_target = (uint32_t)finder->jumps->targets.n;
        jump->n_targets = 1;
        *vec_push(&finder->jumps->targets) = (struct svma){target.number};
    } else if (load && target.kind == VALUE_TARGET && load->bytes == 4) {
        jump->base.v = target.number;
        jump->reason = (uint8_t)table_resolve(finder, jump, load);
    } else if (load && target.kind == VALUE_TERM && load->bytes == 8 && target.bits == 64)
        jump->reason = (uint8_t)table_resolve(finder, jump, load);
    else
        jump->reason = stack_empty || is_memory ? REASON_POINTER : REASON_UNTRACKED;
}

static struct jump *jump_find(const struct jumps *jumps, uint32_t instruction)
{
    size_t low = 0, high = jumps->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (jumps->at[middle].instruction < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low < jumps->n && jumps->at[low].instruction == instruction ? &jumps->at[low] : NULL;
}

/* ---- paths */

/* The names of what joins at a block; one block more than there are is for landing pads. */
static value_name join_names(const struct finder *finder, size_t block)
{
    return tracker_names_end(&finder->tracker) + (value_name)block * (value_name)STATE_PLACES;
}

/* Whether what is known at the block's start has changed. As long as there is one way in, the newest
 * state of that way is all there is to know. */
static bool state_bring(struct finder *finder, block_id block, uint32_t way,
                        const struct state *state)
{
    struct state **before = &finder->before[block];
    effort_take(finder, STATE_PLACES);
    if (!*before) {
        *before = mem_alloc(sizeof *state);
        **before = *state;
        finder->way_in[block] = way;
        return true;
    }
    if (finder->way_in[block] == way) {
        bool same = state_equal(*before, state);
        **before = *state;
        return !same;
    }
    finder->way_in[block] = MANY_WAYS;
    tracker_join(&finder->tracker, *before, state);
    return state_join(*before, state, join_names(finder, block), finder->visits[block] < PATIENCE);
}

static void arrive(struct finder *finder, struct svma at, uint32_t way, const struct state *state)
{
    uint32_t instruction = cfg_find(finder->cfg, at);
    if (instruction == INSTRUCTION_NONE)
        return;
    block_id block = finder->cfg->block_of[instruction];
    if (finder->cfg->blocks.at[block].start.v != at.v || !state_bring(finder, block, way, state))
        return;
    finder->lost = true;
    finder->waiting[block] = true;
    if (block < finder->lowest)
        finder->lowest = block;
}

/* Edges are known by the block they leave: its branch or jump, and its way on. */
enum { WAY_BRANCH, WAY_ON, WAYS_EACH };

static void leave_indirect(struct finder *finder, uint32_t instruction, uint32_t way,
                           struct state *state)
{
    struct jump *jump = jump_find(finder->jumps, instruction);
    if (!jump || jump->reason == REASON_SLOT)
        return;
    struct state after = *state;
    size_t start = finder->jumps->targets.n;
    jump_resolve(finder, state, jump);
    for (uint32_t i = 0; i < jump->n_targets; i++)
        arrive(finder, finder->jumps->targets.at[jump->first_target + i], way, &after);
    /* Read again at the end, when nothing changes any more. */
    finder->jumps->targets.n = start;
}

static void block_leave(struct finder *finder, block_id id, struct state *state)
{
    const struct cfg_block *block = &finder->cfg->blocks.at[id];
    uint32_t last = block->first + block->instructions - 1, way = id * WAYS_EACH + WAY_BRANCH;
    const struct instruction *instruction = &finder->cfg->instructions.at[last];
    struct state other;
    switch ((enum instruction_kind)instruction->kind) {
    case INSTRUCTION_COND:
        other = *state;
        tracker_branch(&finder->tracker, &other, last, true);
        arrive(finder, instruction->target, way, &other);
        tracker_branch(&finder->tracker, state, last, false);
        arrive(finder, instruction_next(instruction), way + WAY_ON, state);
        break;
    case INSTRUCTION_JUMP: arrive(finder, instruction->target, way, state); break;
    case INSTRUCTION_IJUMP: leave_indirect(finder, last, way, state); break;
    case INSTRUCTION_RETURN:
    case INSTRUCTION_TRAP: break;
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_SYSCALL:
        if (!instruction->no_return)
            arrive(finder, instruction_next(instruction), way + WAY_ON, state);
        break;
    }
}

/* Carries the state at the block's start to its last instruction. */
static void block_walk(struct finder *finder, block_id block, struct state *state)
{
    const struct cfg_block *at = &finder->cfg->blocks.at[block];
    effort_take(finder, at->instructions);
    *state = *finder->before[block];
    for (uint32_t i = 0; i < at->instructions; i++)
        tracker_step(&finder->tracker, state, at->first + i);
}

static void paths_follow(struct finder *finder)
{
    while (finder->lowest < finder->cfg->blocks.n && *finder->effort) {
        block_id block = finder->lowest;
        if (!finder->waiting[block]) {
            finder->lowest++;
            continue;
        }
        struct state state;
        finder->waiting[block] = false;
        if (finder->visits[block] < PATIENCE)
            finder->visits[block]++;
        block_walk(finder, block, &state);
        block_leave(finder, block, &state);
    }
}

static bool is_padding(const struct finder *finder, const struct cfg_block *block)
{
    for (uint32_t i = 0; i < block->instructions; i++)
        if (finder->operations[block->first + i].kind != OPERATION_NOP ||
            finder->cfg->instructions.at[block->first + i].kind == INSTRUCTION_RETURN)
            return false;
    return true;
}

/* What is known wherever a call may throw: its landing pad is entered with the stack and the saved
 * registers of the call. Joined to what was known before, so that it comes to an end. */
static void thrown_join(struct finder *finder, struct state *thrown, bool *any)
{
    const struct cfg *cfg = finder->cfg;
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        if (!finder->before[b] || !effort_take(finder, block->instructions))
            continue;
        struct state state = *finder->before[b];
        for (uint32_t i = block->first; i < block->first + block->instructions; i++) {
            tracker_step(&finder->tracker, &state, i);
            if (finder->operations[i].kind != OPERATION_CALL)
                continue;
            struct state raised = state;
            raised.registers[REGISTER_RAX] = raised.registers[REGISTER_RDX] = (struct value){0};
            if (*any)
                state_join(thrown, &raised, join_names(finder, cfg->blocks.n), false);
            else
                *thrown = raised;
            *any = true;
        }
    }
}

/* Whether control may come from a jump of which nothing is known. */
static bool has_untracked(const struct jumps *jumps)
{
    for (size_t i = 0; i < jumps->n; i++)
        switch ((enum cfg_reason)jumps->at[i].reason) {
        case REASON_NONE:
        case REASON_SLOT:
        case REASON_POINTER: break;
        default: return true;
        }
    return false;
}

static uint32_t way_of_roots(const struct cfg *cfg)
{
    return (uint32_t)cfg->blocks.n * WAYS_EACH;
}

/* Blocks that no path leads to: landing pads, targets of jumps that are not resolved, dead code. */
static void roots_follow(struct finder *finder)
{
    const struct cfg *cfg = finder->cfg;
    bool *is_root = mem_alloc(cfg->blocks.n * sizeof *is_root);
    struct state thrown = {0};
    bool any = false, untracked = false;
    do {
        finder->lost = false;
        thrown_join(finder, &thrown, &any);
        untracked |= has_untracked(finder->jumps);
        struct state state = thrown;
        if (untracked)
            state = (struct state){0};
        for (size_t b = 0; b < cfg->blocks.n; b++) {
            is_root[b] |= !finder->before[b] && !is_padding(finder, &cfg->blocks.at[b]);
            if (is_root[b])
                arrive(finder, cfg->blocks.at[b].start, way_of_roots(cfg), &state);
            paths_follow(finder);
        }
    } while (finder->lost && *finder->effort);
    mem_free(is_root);
}

static void paths_follow_entry(struct finder *finder)
{
    const struct cfg *cfg = finder->cfg;
    struct state state;
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        mem_free(finder->before[b]);
        finder->before[b] = NULL;
        finder->visits[b] = 0;
    }
    tracker_begin(&finder->tracker, &state);
    arrive(finder, cfg->entry, way_of_roots(cfg), &state);
    paths_follow(finder);
}

/* Whether a target was found that is no block yet: the caller makes one of it and asks again. */
static bool has_new_targets(const struct finder *finder)
{
    const struct cfg *cfg = finder->cfg;
    for (size_t i = 0; i < finder->jumps->targets.n; i++) {
        struct svma at = finder->jumps->targets.at[i];
        if (cfg_find(cfg, at) != INSTRUCTION_NONE &&
            cfg->blocks.at[cfg->block_of[cfg_find(cfg, at)]].start.v != at.v)
            return true;
    }
    return false;
}

static void jumps_settle(struct finder *finder)
{
    const struct cfg *cfg = finder->cfg;
    finder->jumps->targets.n = 0;
    for (size_t i = 0; i < finder->jumps->n; i++) {
        struct jump *jump = &finder->jumps->at[i];
        block_id block = cfg->block_of[jump->instruction];
        struct state state;
        if (jump->reason == REASON_SLOT || !finder->before[block])
            continue;
        block_walk(finder, block, &state);
        jump_resolve(finder, &state, jump);
    }
}

/* What was found on the way may still have changed: none of it counts. */
static void give_up(struct jumps *jumps)
{
    for (size_t i = 0; i < jumps->n; i++)
        if (jumps->at[i].reason != REASON_SLOT)
            jumps->at[i] =
                (struct jump){.instruction = jumps->at[i].instruction, .reason = REASON_EFFORT};
    jumps->targets.n = 0;
}

static void finder_release(struct finder *finder)
{
    for (size_t b = 0; b < finder->cfg->blocks.n; b++)
        mem_free(finder->before[b]);
    mem_free(finder->before);
    mem_free(finder->way_in);
    mem_free(finder->visits);
    mem_free(finder->waiting);
    mem_free(finder->operations);
    tracker_release(&finder->tracker);
}

void jumps_find(struct jumps *jumps, const struct cfg *cfg, const struct image *image,
                const struct symbols *symbols, uint64_t *effort)
{
    *jumps = (struct jumps){0};
    struct finder finder = {.jumps = jumps,
                            .cfg = cfg,
                            .image = image,
                            .symbols = symbols,
                            .evidence = &symbols->evidence,
                            .effort = effort};
    if (!jumps_list(&finder))
        return;
    size_t n = cfg->instructions.n;
    finder.operations = mem_alloc(n * sizeof *finder.operations);
    for (size_t i = 0; i < n; i++)
        operation_read(image, &cfg->instructions.at[i], &finder.operations[i]);
    tracker_init(&finder.tracker, image, finder.evidence, finder.operations, n);
    finder.before = mem_alloc(cfg->blocks.n * sizeof(struct state *));
    finder.way_in = mem_alloc(cfg->blocks.n * sizeof *finder.way_in);
    finder.visits = mem_alloc(cfg->blocks.n * sizeof *finder.visits);
    finder.waiting = mem_alloc(cfg->blocks.n * sizeof *finder.waiting);
    /* Whatever escapes late was trusted before: once more, knowing it. */
    do {
        finder.tracker.escaped_more = false;
        paths_follow_entry(&finder);
        jumps_settle(&finder);
        if (has_new_targets(&finder))
            break;
        roots_follow(&finder);
        jumps_settle(&finder);
    } while (finder.tracker.escaped_more && *effort);
    if (!*effort)
        give_up(jumps);
    finder_release(&finder);
}

void jumps_release(struct jumps *jumps)
{
    vec_release(jumps);
    vec_release(&jumps->targets);
}
