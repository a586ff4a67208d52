#include "program/cfg/jump_paths.h"

#include "base/memory.h"
#include "program/cfg/cfg.h"
#include "program/cfg/jump_search.h"
#include "program/cfg/state_alike.h"
#include "program/symbols/symbols.h"
#include "program/cfg/table_entries.h"

/* How often a block may be looked at again before ranges that still grow are given up. */
enum { PATIENCE = 4 };

void jump_paths_init(struct jump_paths *paths, const struct jump_search *search)
{
    const struct cfg *cfg = search->cfg;
    *paths = (struct jump_paths){.search = search, .cfg = cfg, .jumps = search->jumps};
    tracker_init(&paths->tracker, search->image, &search->symbols->evidence, search->operations,
                 cfg->instructions.n);
    paths->blocks = mem_alloc(cfg->blocks.n * sizeof *paths->blocks);
    paths->waiting = mem_alloc((cfg->blocks.n + 63) / 64 * sizeof *paths->waiting);
    paths->states = mem_alloc(cfg->blocks.n * sizeof *paths->states);
}

void jump_paths_release(struct jump_paths *paths)
{
    mem_free(paths->states);
    mem_free(paths->waiting);
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

static void block_changed(struct path_block *at)
{
    at->version++;
    at->like = BLOCK_NONE;
}

/* Whether what is known at the block's start has changed. As long as there is one way in, the
 * newest state of that way is all there is to know. */
static bool state_bring(struct jump_paths *paths, block_id block, uint32_t way,
                        const struct state *state)
{
    struct path_block *at = &paths->blocks[block];
    bool changed = true;
    search_takes(paths->search, STATE_PLACES);
    if (!at->before) {
        at->before = &paths->states[block];
        state_copy(at->before, state);
        at->way_in = way;
    } else if (at->way_in == way) {
        changed = !state_equal(at->before, state);
        state_copy(at->before, state);
    } else {
        at->way_in = PATH_MANY_WAYS;
        tracker_join(&paths->tracker, at->before, state);
        changed = state_join(at->before, state, join_names(paths, block), at->visits < PATIENCE);
    }
    if (changed)
        block_changed(at);
    return changed;
}

/* The block that begins there, or BLOCK_NONE. */
static block_id block_at(const struct cfg *cfg, struct svma at)
{
    uint32_t instruction = cfg_find(cfg, at);
    if (instruction == INSTRUCTION_NONE)
        return BLOCK_NONE;
    block_id block = cfg->block_of[instruction];
    return cfg->blocks.at[block].start.v == at.v ? block : BLOCK_NONE;
}

static void block_wait(struct jump_paths *paths, block_id block)
{
    paths->lost = true;
    paths->waiting[block / 64] |= UINT64_C(1) << block % 64;
    if (block < paths->lowest)
        paths->lowest = block;
}

static void arrive(struct jump_paths *paths, struct svma at, uint32_t way,
                   const struct state *state)
{
    block_id block = block_at(paths->cfg, at);
    if (block != BLOCK_NONE && state_bring(paths, block, way, state))
        block_wait(paths, block);
}

/* ---- many ways on */

/* One state that a jump brings to many blocks. Handlers of an interpreter are hundreds of them,
 * with hundreds of such jumps, and of most the same is known: it is joined at one of a kind. */
enum { FAN_KINDS = 8 };
struct fan {
    const struct state *state;
    uint32_t way;
    uint32_t n;
    struct fan_kind {
        block_id block;           /* where it was joined */
        uint32_t version, way_in; /* before that */
        bool patient, changed;
    } kinds[FAN_KINDS];
};

/* Notes whose names the state bears: there a join forgets some of it. */
static void fan_begin(struct jump_paths *paths, struct fan *fan)
{
    value_name names[STATE_NAMES_MAX], first = join_names(paths, 0);
    uint32_t n = state_names(fan->state, names);
    paths->fans++;
    for (uint32_t i = 0; i < n; i++) {
        block_id block = (names[i] - first) / STATE_PLACES;
        if (names[i] >= first && block < paths->cfg->blocks.n)
            paths->blocks[block].named_in = paths->fans;
    }
}

static bool blocks_alike(struct jump_paths *paths, block_id a, block_id b)
{
    return state_alike(paths->blocks[a].before, join_names(paths, a), paths->blocks[b].before,
                       join_names(paths, b));
}

/* Whether the same was known here as at a block of the fan, before it was joined there. */
static bool is_of_kind(struct jump_paths *paths, block_id block, const struct fan_kind *kind)
{
    struct path_block *at = &paths->blocks[block];
    if (at->way_in != kind->way_in || (at->visits < PATIENCE) != kind->patient)
        return false;
    if (at->like == kind->block && at->like_version == kind->version)
        return true;
    if (kind->changed || !blocks_alike(paths, block, kind->block))
        return false;
    at->like = kind->block;
    at->like_version = kind->version;
    return true;
}

/* What a join there would have come to. Whether anything has changed. */
static bool kind_take(struct jump_paths *paths, block_id block, const struct fan_kind *kind)
{
    struct path_block *at = &paths->blocks[block];
    const struct path_block *from = &paths->blocks[kind->block];
    search_takes(paths->search, STATE_PLACES);
    at->way_in = from->way_in;
    if (!kind->changed)
        return false;
    state_copy_as(at->before, join_names(paths, block), from->before,
                  join_names(paths, kind->block));
    block_changed(at);
    at->like = kind->block;
    at->like_version = from->version;
    return true;
}

/* Another of a kind that was not known as such before the join. */
static bool is_same_kind(struct jump_paths *paths, const struct fan *fan,
                         const struct fan_kind *kind)
{
    struct path_block *at = &paths->blocks[kind->block];
    for (uint32_t i = 0; i < fan->n && kind->changed; i++) {
        const struct fan_kind *other = &fan->kinds[i];
        if (other->changed && blocks_alike(paths, kind->block, other->block)) {
            at->like = other->block;
            at->like_version = paths->blocks[other->block].version;
            return true;
        }
    }
    return false;
}

static bool fan_bring(struct jump_paths *paths, struct fan *fan, block_id block)
{
    const struct path_block *at = &paths->blocks[block];
    if (!at->before || at->named_in == paths->fans)
        return state_bring(paths, block, fan->way, fan->state);
    for (uint32_t i = 0; i < fan->n; i++)
        if (is_of_kind(paths, block, &fan->kinds[i]))
            return kind_take(paths, block, &fan->kinds[i]);
    struct fan_kind kind = {.block = block,
                            .version = at->version,
                            .way_in = at->way_in,
                            .patient = at->visits < PATIENCE};
    kind.changed = state_bring(paths, block, fan->way, fan->state);
    if (fan->n < FAN_KINDS && !is_same_kind(paths, fan, &kind))
        fan->kinds[fan->n++] = kind;
    return kind.changed;
}

static void fan_out(struct jump_paths *paths, const struct jump *jump, uint32_t way,
                    const struct state *state)
{
    struct fan fan = {.state = state, .way = way};
    fan_begin(paths, &fan);
    for (uint32_t i = 0; i < jump->n_targets; i++) {
        block_id block = block_at(paths->cfg, paths->jumps->targets.at[jump->first_target + i]);
        if (block != BLOCK_NONE && fan_bring(paths, &fan, block))
            block_wait(paths, block);
    }
}

/* Edges are known by the block they leave: its branch or jump, and its way on. */
enum { WAY_BRANCH, WAY_ON, WAYS_EACH };

static void leave_indirect(struct jump_paths *paths, uint32_t instruction, uint32_t way,
                           struct state *state)
{
    struct jump *jump = jump_find(paths->jumps, instruction);
    if (!jump || jump->reason == REASON_SLOT)
        return;
    struct state after;
    state_copy(&after, state);
    size_t start = paths->jumps->targets.n;
    jump_resolve(paths, state, jump);
    fan_out(paths, jump, way, &after);
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
        state_copy(&other, state);
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
    state_copy(state, paths->blocks[block].before);
    for (uint32_t i = 0; i < at->instructions; i++)
        tracker_step(&paths->tracker, state, at->first + i);
}

/* The lowest block that is waiting, which does so no longer; BLOCK_NONE: none is. */
static block_id waiting_take(struct jump_paths *paths)
{
    for (size_t i = paths->lowest / 64; i < (paths->cfg->blocks.n + 63) / 64; i++)
        if (paths->waiting[i]) {
            block_id block = (block_id)(i * 64) + (block_id)__builtin_ctzll(paths->waiting[i]);
            paths->waiting[i] &= paths->waiting[i] - 1;
            paths->lowest = block;
            return block;
        }
    paths->lowest = (uint32_t)paths->cfg->blocks.n;
    return BLOCK_NONE;
}

static void paths_follow(struct jump_paths *paths)
{
    while (*paths->search->effort) {
        block_id block = waiting_take(paths);
        if (block == BLOCK_NONE)
            return;
        struct state state;
        struct path_block *at = &paths->blocks[block];
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
        struct state state, raised;
        state_copy(&state, paths->blocks[b].before);
        for (uint32_t i = block->first; i < block->first + block->instructions; i++) {
            tracker_step(&paths->tracker, &state, i);
            if (paths->tracker.operations[i].kind != OPERATION_CALL)
                continue;
            state_copy(&raised, &state);
            raised.registers[REGISTER_RAX] = raised.registers[REGISTER_RDX] = (struct value){0};
            if (*any)
                state_join(thrown, &raised, join_names(paths, cfg->blocks.n), false);
            else
                state_copy(thrown, &raised);
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

/* Whether control may come to a block in a way that was not followed. */
static bool has_roots(const struct jump_paths *paths)
{
    for (size_t b = 0; b < paths->cfg->blocks.n; b++)
        if (!paths->blocks[b].before && !is_padding(paths, &paths->cfg->blocks.at[b]))
            return true;
    return false;
}

void jump_paths_roots(struct jump_paths *paths)
{
    const struct cfg *cfg = paths->cfg;
    if (!has_roots(paths))
        return;
    bool *is_root = mem_alloc(cfg->blocks.n * sizeof *is_root);
    struct state thrown = {0};
    bool any = false, untracked = false;
    do {
        paths->lost = false;
        thrown_join(paths, &thrown, &any);
        untracked |= has_untracked(paths->jumps);
        struct state state = {0};
        if (!untracked)
            state_copy(&state, &thrown);
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
        paths->blocks[b].before = NULL;
        paths->blocks[b].visits = 0;
        block_changed(&paths->blocks[b]);
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
