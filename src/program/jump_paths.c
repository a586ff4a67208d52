#include "program/jump_paths.h"

#include "base/memory.h"
#include "program/cfg.h"
#include "program/jump_search.h"
#include "program/symbols.h"
#include "program/table_entries.h"

/* How often a block may be looked at again before ranges that still grow are given up. */
enum { PATIENCE = 4 };

void jump_paths_init(struct jump_paths *paths, const struct jump_search *search)
{
    const struct cfg *cfg = search->cfg;
    *paths = (struct jump_paths){.search = search, .cfg = cfg, .jumps = search->jumps};
    tracker_init(&paths->tracker, search->image, &search->symbols->evidence, cfg->instructions.at,
                 cfg->instructions.n);
    paths->blocks = mem_alloc(cfg->blocks.n * sizeof *paths->blocks);
}

void jump_paths_release(struct jump_paths *paths)
{
    for (size_t b = 0; b < paths->cfg->blocks.n; b++)
        mem_free(paths->blocks[b].before);
    mem_free(paths->blocks);
    tracker_release(&paths->tracker);
}

/* ---- jumps */

static void jump_resolve(struct jump_paths *paths, struct state *state, struct jump *jump)
{
    bool is_memory = paths->tracker.operations[jump->instruction].src.kind == OPERAND_MEMORY;
    bool stack_empty = tracker_stack_empty(&paths->tracker, state);
    struct value target = tracker_target(&paths->tracker, state, jump->instruction);
    const struct table_load *load = tracker_load(&paths->tracker, &target);
    *jump = (struct jump){.instruction = jump->instruction, .tail = stack_empty};
    if (target.kind == VALUE_CONST &&
        cfg_find(paths->cfg, (struct svma){target.number}) != INSTRUCTION_NONE) {
        /* The index was a constant, and the entry with it. */
        jump->first_target = (uint32_t)paths->jumps->targets.n;
        jump->n_targets = 1;
        *vec_push(&paths->jumps->targets) = (struct svma){target.number};
    } else if (load && target.kind == VALUE_TARGET && load->bytes == 4) {
        jump->base.v = target.number;
        jump->reason = (uint8_t)table_resolve(paths->search, jump, load);
    } else if (load && target.kind == VALUE_TERM && load->bytes == 8 && target.bits == 64)
        jump->reason = (uint8_t)table_resolve(paths->search, jump, load);
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
static value_name join_names(const struct jump_paths *paths, size_t block)
{
    return tracker_names_end(&paths->tracker) + (value_name)block * (value_name)STATE_PLACES;
}

/* Whether what is known at the block's start has changed. As long as there is one way in, the newest
 * state of that way is all there is to know. */
static bool state_bring(struct jump_paths *paths, block_id block, uint32_t way,
                        const struct state *state)
{
    struct path_block *at = &paths->blocks[block];
    search_takes(paths->search, STATE_PLACES);
    if (!at->before) {
        at->before = mem_alloc(sizeof *state);
        *at->before = *state;
        at->way_in = way;
        return true;
    }
    if (at->way_in == way) {
        bool same = state_equal(at->before, state);
        *at->before = *state;
        return !same;
    }
    at->way_in = PATH_MANY_WAYS;
    tracker_join(&paths->tracker, at->before, state);
    return state_join(at->before, state, join_names(paths, block), at->visits < PATIENCE);
}

static void arrive(struct jump_paths *paths, struct svma at, uint32_t way,
                   const struct state *state)
{
    uint32_t instruction = cfg_find(paths->cfg, at);
    if (instruction == INSTRUCTION_NONE)
        return;
    block_id block = paths->cfg->block_of[instruction];
    if (paths->cfg->blocks.at[block].start.v != at.v || !state_bring(paths, block, way, state))
        return;
    paths->lost = true;
    paths->blocks[block].waiting = true;
    if (block < paths->lowest)
        paths->lowest = block;
}

/* Edges are known by the block they leave: its branch or jump, and its way on. */
enum { WAY_BRANCH, WAY_ON, WAYS_EACH };

static void leave_indirect(struct jump_paths *paths, uint32_t instruction, uint32_t way,
                           struct state *state)
{
    struct jump *jump = jump_find(paths->jumps, instruction);
    if (!jump || jump->reason == REASON_SLOT)
        return;
    struct state after = *state;
    size_t start = paths->jumps->targets.n;
    jump_resolve(paths, state, jump);
    for (uint32_t i = 0; i < jump->n_targets; i++)
        arrive(paths, paths->jumps->targets.at[jump->first_target + i], way, &after);
    /* Read again at the end, when nothing changes any more. */
    paths->jumps->targets.n = start;
}

static void block_leave(struct jump_paths *paths, block_id id, struct state *state)
{
    const struct cfg_block *block = &paths->cfg->blocks.at[id];
    uint32_t last = block->first + block->instructions - 1, way = id * WAYS_EACH + WAY_BRANCH;
    const struct instruction *instruction = &paths->cfg->instructions.at[last];
    struct state other;
    switch ((enum instruction_kind)instruction->kind) {
    case INSTRUCTION_COND:
        other = *state;
        tracker_branch(&paths->tracker, &other, last, true);
        arrive(paths, instruction->target, way, &other);
        tracker_branch(&paths->tracker, state, last, false);
        arrive(paths, instruction_next(instruction), way + WAY_ON, state);
        break;
    case INSTRUCTION_JUMP: arrive(paths, instruction->target, way, state); break;
    case INSTRUCTION_IJUMP: leave_indirect(paths, last, way, state); break;
    case INSTRUCTION_RETURN:
    case INSTRUCTION_TRAP: break;
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_SYSCALL:
        if (!instruction->no_return)
            arrive(paths, instruction_next(instruction), way + WAY_ON, state);
        break;
    }
}

/* Carries the state at the block's start to its last instruction. */
static void block_walk(struct jump_paths *paths, block_id block, struct state *state)
{
    const struct cfg_block *at = &paths->cfg->blocks.at[block];
    search_takes(paths->search, at->instructions);
    *state = *paths->blocks[block].before;
    for (uint32_t i = 0; i < at->instructions; i++)
        tracker_step(&paths->tracker, state, at->first + i);
}

static void paths_follow(struct jump_paths *paths)
{
    while (paths->lowest < paths->cfg->blocks.n && *paths->search->effort) {
        block_id block = paths->lowest;
        struct path_block *at = &paths->blocks[block];
        if (!at->waiting) {
            paths->lowest++;
            continue;
        }
        struct state state;
        at->waiting = false;
        if (at->visits < PATIENCE)
            at->visits++;
        block_walk(paths, block, &state);
        block_leave(paths, block, &state);
    }
}

static bool is_padding(const struct jump_paths *paths, const struct cfg_block *block)
{
    for (uint32_t i = 0; i < block->instructions; i++)
        if (paths->tracker.operations[block->first + i].kind != OPERATION_NOP ||
            paths->cfg->instructions.at[block->first + i].kind == INSTRUCTION_RETURN)
            return false;
    return true;
}

/* What is known wherever a call may throw: its landing pad is entered with the stack and the saved
 * registers of the call. Joined to what was known before, so that it comes to an end. */
static void thrown_join(struct jump_paths *paths, struct state *thrown, bool *any)
{
    const struct cfg *cfg = paths->cfg;
    for (block_id b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        if (!paths->blocks[b].before || !search_takes(paths->search, block->instructions))
            continue;
        struct state state = *paths->blocks[b].before;
        for (uint32_t i = block->first; i < block->first + block->instructions; i++) {
            tracker_step(&paths->tracker, &state, i);
            if (paths->tracker.operations[i].kind != OPERATION_CALL)
                continue;
            struct state raised = state;
            raised.registers[REGISTER_RAX] = raised.registers[REGISTER_RDX] = (struct value){0};
            if (*any)
                state_join(thrown, &raised, join_names(paths, cfg->blocks.n), false);
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

void jump_paths_roots(struct jump_paths *paths)
{
    const struct cfg *cfg = paths->cfg;
    bool *is_root = mem_alloc(cfg->blocks.n * sizeof *is_root);
    struct state thrown = {0};
    bool any = false, untracked = false;
    do {
        paths->lost = false;
        thrown_join(paths, &thrown, &any);
        untracked |= has_untracked(paths->jumps);
        struct state state = thrown;
        if (untracked)
            state = (struct state){0};
        for (size_t b = 0; b < cfg->blocks.n; b++) {
            is_root[b] |= !paths->blocks[b].before && !is_padding(paths, &cfg->blocks.at[b]);
            if (is_root[b])
                arrive(paths, cfg->blocks.at[b].start, way_of_roots(cfg), &state);
            paths_follow(paths);
        }
    } while (paths->lost && *paths->search->effort);
    mem_free(is_root);
}

void jump_paths_entry(struct jump_paths *paths)
{
    const struct cfg *cfg = paths->cfg;
    struct state state;
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        mem_free(paths->blocks[b].before);
        paths->blocks[b].before = NULL;
        paths->blocks[b].visits = 0;
    }
    tracker_begin(&state);
    arrive(paths, cfg->entry, way_of_roots(cfg), &state);
    paths_follow(paths);
}

void jump_paths_settle(struct jump_paths *paths)
{
    const struct cfg *cfg = paths->cfg;
    paths->jumps->targets.n = 0;
    for (size_t i = 0; i < paths->jumps->n; i++) {
        struct jump *jump = &paths->jumps->at[i];
        block_id block = cfg->block_of[jump->instruction];
        struct state state;
        if (jump->reason == REASON_SLOT || !paths->blocks[block].before)
            continue;
        block_walk(paths, block, &state);
        jump_resolve(paths, &state, jump);
    }
}
