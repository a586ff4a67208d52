#include "program/cfg/cfg_build.h"

#include "base/err.h"
#include "program/cfg/jump_tables.h"
#include "program/elf/image.h"
#include "program/symbols/no_return.h"

#include <stdlib.h>

struct builder {
    struct cfg *cfg;
    const struct image *image;
    const struct symbols *symbols;
    const struct cfg_seen *seen;
    size_t n_seen;
    bool *leader;                /* for each instruction */
    struct jump_targets targets; /* of jump tables, proved or still to be */
};

static void pieces_make(struct cfg *cfg, const struct symbols *symbols, function_id function)
{
    size_t bytes = 0;
    ASSERT(function < symbols->functions.n);
    for (uint32_t r = symbols->functions.at[function].first_range; r != RANGE_NONE;
         r = symbols->ranges.at[r].next) {
        const struct code_range *range = &symbols->ranges.at[r];
        *vec_push(&cfg->pieces) = (struct cfg_piece){range->start, range->bytes, bytes};
        bytes += range->bytes;
    }
    cfg->index = mem_alloc(bytes * sizeof *cfg->index);
    cfg->entry = symbols->functions.at[function].start;
}

/* ---- decoding */

/* Decodes from the address up to known instructions, the end of its piece, or what does not decode.
 * An instruction that reaches beyond its piece is not of this function. */
static void run_decode(struct builder *builder, struct svma at)
{
    struct cfg *cfg = builder->cfg;
    const struct cfg_piece *piece = cfg_piece_find(cfg, at);
    if (!piece)
        return;
    for (uint64_t done = at.v - piece->start.v; done < piece->bytes;) {
        uint32_t *slot = &cfg->index[piece->index_at + done];
        if (*slot)
            return;
        struct instruction decoded;
        if (!disasm_at(builder->image, (struct svma){piece->start.v + done}, &decoded) ||
            decoded.bytes > piece->bytes - done) {
            cfg->undecoded++;
            return;
        }
        decoded.no_return =
            decoded.kind == INSTRUCTION_CALL && no_return_at(builder->symbols, decoded.target);
        *vec_push(&cfg->instructions) = decoded;
        *slot = (uint32_t)cfg->instructions.n;
        done += decoded.bytes;
    }
}

static bool has_target(const struct instruction *instruction)
{
    return instruction->kind == INSTRUCTION_COND || instruction->kind == INSTRUCTION_JUMP ||
           instruction->kind == INSTRUCTION_CALL;
}

static void decode_all(struct builder *builder)
{
    struct cfg *cfg = builder->cfg;
    for (size_t i = 0; i < cfg->pieces.n; i++)
        run_decode(builder, cfg->pieces.at[i].start);
    for (size_t i = 0; i < builder->n_seen; i++)
        run_decode(builder, builder->seen[i].to);
    /* Grows while it is walked: detached runs have targets too. */
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        struct instruction instruction = cfg->instructions.at[i];
        if (has_target(&instruction))
            run_decode(builder, instruction.target);
    }
}

/* ---- blocks */

static void leader_mark(struct builder *builder, struct svma at)
{
    uint32_t i = cfg_find(builder->cfg, at);
    if (i != INSTRUCTION_NONE)
        builder->leader[i] = true;
}

static void leaders_mark_seen(struct builder *builder)
{
    const struct cfg *cfg = builder->cfg;
    bool *after_call = mem_alloc(cfg->instructions.n * sizeof *after_call);
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        const struct instruction *call = &cfg->instructions.at[i];
        if (call->kind != INSTRUCTION_CALL && call->kind != INSTRUCTION_ICALL)
            continue;
        uint32_t next = cfg_find(cfg, instruction_next(call));
        if (next != INSTRUCTION_NONE)
            after_call[next] = true;
    }
    for (size_t i = 0; i < builder->n_seen; i++) {
        uint32_t to = cfg_find(cfg, builder->seen[i].to);
        if (to != INSTRUCTION_NONE && !(builder->seen[i].returned && after_call[to]))
            builder->leader[to] = true;
    }
    mem_free(after_call);
}

static void leaders_mark(struct builder *builder)
{
    const struct cfg *cfg = builder->cfg;
    mem_free(builder->leader);
    builder->leader = mem_alloc(cfg->instructions.n * sizeof *builder->leader);
    for (size_t i = 0; i < cfg->pieces.n; i++)
        leader_mark(builder, cfg->pieces.at[i].start);
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        const struct instruction *instruction = &cfg->instructions.at[i];
        struct svma next = instruction_next(instruction);
        if (has_target(instruction))
            leader_mark(builder, instruction->target);
        bool joins = i + 1 == cfg->instructions.n || cfg->instructions.at[i + 1].at.v != next.v;
        if (joins || instruction_ends_block(instruction))
            leader_mark(builder, next);
    }
    for (size_t i = 0; i < builder->targets.n; i++)
        leader_mark(builder, builder->targets.at[i]);
    leaders_mark_seen(builder);
}

static int block_order(const void *a, const void *b)
{
    const struct cfg_block *x = a, *y = b;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

static void blocks_make(struct builder *builder)
{
    struct cfg *cfg = builder->cfg;
    const struct instruction *before = NULL;
    vec_release(&cfg->blocks);
    mem_free(cfg->block_of);
    cfg->block_of = NULL;
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        const struct instruction *instruction = &cfg->instructions.at[i];
        if (!before || builder->leader[i] || instruction_next(before).v != instruction->at.v)
            *vec_push(&cfg->blocks) =
                (struct cfg_block){.start = instruction->at, .first = (uint32_t)i};
        struct cfg_block *block = &cfg->blocks.at[cfg->blocks.n - 1];
        block->last = instruction->at;
        block->bytes += instruction->bytes;
        block->instructions++;
        before = instruction;
    }
    if (!cfg->blocks.n)
        return;
    qsort(cfg->blocks.at, cfg->blocks.n, sizeof *cfg->blocks.at, block_order);
    cfg->block_of = mem_alloc(cfg->instructions.n * sizeof *cfg->block_of);
    for (size_t b = 0; b < cfg->blocks.n; b++)
        for (uint32_t i = 0; i < cfg->blocks.at[b].instructions; i++)
            cfg->block_of[cfg->blocks.at[b].first + i] = (block_id)b;
}

/* ---- jump tables */

static bool is_block_start(const struct cfg *cfg, struct svma at)
{
    uint32_t i = cfg_find(cfg, at);
    return i != INSTRUCTION_NONE && cfg->blocks.at[cfg->block_of[i]].start.v == at.v;
}

/* Whether there were targets that are no blocks yet; now they are. */
static bool targets_add(struct builder *builder)
{
    const struct cfg *cfg = builder->cfg;
    size_t before = builder->targets.n;
    for (size_t i = 0; i < cfg->jumps.targets.n; i++)
        if (cfg_find(cfg, cfg->jumps.targets.at[i]) != INSTRUCTION_NONE &&
            !is_block_start(cfg, cfg->jumps.targets.at[i]))
            *vec_push(&builder->targets) = cfg->jumps.targets.at[i];
    if (builder->targets.n == before)
        return false;
    leaders_mark(builder);
    blocks_make(builder);
    return true;
}

/* Targets make blocks, and blocks decide what is known at a jump: until nothing new is found. What
 * was a target only on the way there is none in the end. */
static void tables_resolve(struct builder *builder)
{
    struct cfg *cfg = builder->cfg;
    struct jumps_work work = {.effort = JUMPS_EFFORT};
    do {
        jumps_release(&cfg->jumps);
        jumps_find(&cfg->jumps, cfg, builder->image, builder->symbols, &work);
    } while (targets_add(builder));
    jumps_work_release(&work);
    if (!builder->targets.n)
        return;
    builder->targets.n = 0;
    for (size_t i = 0; i < cfg->jumps.targets.n; i++)
        *vec_push(&builder->targets) = cfg->jumps.targets.at[i];
    leaders_mark(builder);
    blocks_make(builder);
}

/* ---- edges and exits */

static void exit_add(struct cfg *cfg, const struct instruction *from, struct svma to)
{
    *vec_push(&cfg->exits) = (struct cfg_exit){.from = from->at, .to = to, .kind = from->kind};
}

static void edge_add(struct cfg *cfg, const struct instruction *from, struct svma to,
                     enum cfg_edge_kind kind)
{
    uint32_t target = cfg_find(cfg, to);
    if (target != INSTRUCTION_NONE)
        *vec_push(&cfg->edges) =
            (struct cfg_edge){.from = from->at,
                              .to = to,
                              .from_block = cfg->block_of[from - cfg->instructions.at],
                              .to_block = cfg->block_of[target],
                              .kind = (uint8_t)kind};
    else if (kind != CFG_FALL && kind != CFG_NEXT)
        exit_add(cfg, from, to);
}

static void edges_from_block(struct cfg *cfg, const struct cfg_block *block)
{
    const struct instruction *last = &cfg->instructions.at[block->first + block->instructions - 1];
    switch ((enum instruction_kind)last->kind) {
    case INSTRUCTION_COND:
        edge_add(cfg, last, last->target, CFG_TAKEN);
        edge_add(cfg, last, instruction_next(last), CFG_FALL);
        break;
    case INSTRUCTION_JUMP: edge_add(cfg, last, last->target, CFG_JUMP); break;
    case INSTRUCTION_IJUMP:
    case INSTRUCTION_RETURN:
    case INSTRUCTION_TRAP: break;
    case INSTRUCTION_PLAIN:
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_SYSCALL:
        if (!last->no_return)
            edge_add(cfg, last, instruction_next(last), CFG_NEXT);
        break;
    }
}

static void edges_of_tables(struct cfg *cfg)
{
    for (size_t j = 0; j < cfg->jumps.n; j++) {
        const struct jump *jump = &cfg->jumps.at[j];
        for (uint32_t i = 0; i < jump->n_targets; i++)
            edge_add(cfg, &cfg->instructions.at[jump->instruction],
                     cfg->jumps.targets.at[jump->first_target + i], CFG_CASE);
    }
}

static const struct jump *jump_of(const struct cfg *cfg, uint32_t instruction)
{
    for (size_t j = 0; j < cfg->jumps.n; j++)
        if (cfg->jumps.at[j].instruction == instruction)
            return &cfg->jumps.at[j];
    return NULL;
}

static bool is_case(const struct cfg *cfg, uint32_t instruction, struct svma to)
{
    const struct jump *jump = jump_of(cfg, instruction);
    for (uint32_t i = 0; jump && i < jump->n_targets; i++)
        if (cfg->jumps.targets.at[jump->first_target + i].v == to.v)
            return true;
    return false;
}

static void edges_seen(struct builder *builder, bool *resolved)
{
    struct cfg *cfg = builder->cfg;
    for (size_t i = 0; i < builder->n_seen; i++) {
        const struct cfg_seen *seen = &builder->seen[i];
        uint32_t from = seen->from.v ? cfg_find(cfg, seen->from) : INSTRUCTION_NONE;
        if (from == INSTRUCTION_NONE)
            continue;
        const struct instruction *branch = &cfg->instructions.at[from];
        if (branch->kind == INSTRUCTION_IJUMP && is_case(cfg, from, seen->to))
            continue;
        if (branch->kind == INSTRUCTION_IJUMP)
            edge_add(cfg, branch, seen->to, CFG_INDIRECT);
        else if (branch->kind == INSTRUCTION_ICALL)
            exit_add(cfg, branch, seen->to);
        resolved[from] = true;
    }
}

/* Why an indirect branch is not resolved; NONE: it is. */
static enum cfg_reason reason_of(const struct cfg *cfg, uint32_t instruction)
{
    if (cfg->instructions.at[instruction].kind == INSTRUCTION_ICALL)
        return REASON_POINTER;
    const struct jump *jump = jump_of(cfg, instruction);
    return jump ? (enum cfg_reason)jump->reason : REASON_UNTRACKED;
}

static void exits_static(struct cfg *cfg, const bool *resolved)
{
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        const struct instruction *instruction = &cfg->instructions.at[i];
        bool indirect =
            instruction->kind == INSTRUCTION_IJUMP || instruction->kind == INSTRUCTION_ICALL;
        if (instruction->kind == INSTRUCTION_CALL)
            exit_add(cfg, instruction, instruction->target);
        if (!indirect || resolved[i])
            continue;
        enum cfg_reason reason = reason_of(cfg, (uint32_t)i);
        if (reason != REASON_NONE)
            *vec_push(&cfg->exits) = (struct cfg_exit){.from = instruction->at,
                                                       .kind = instruction->kind,
                                                       .reason = (uint8_t)reason,
                                                       .unresolved = true};
    }
}

static int exit_order(const void *a, const void *b)
{
    const struct cfg_exit *x = a, *y = b;
    if (x->from.v != y->from.v)
        return x->from.v < y->from.v ? -1 : 1;
    return x->to.v < y->to.v ? -1 : x->to.v > y->to.v;
}

/* Sorts and drops what was seen more than once. */
static void edges_settle(struct cfg *cfg)
{
    struct cfg_edges *edges = &cfg->edges;
    struct cfg_exits *exits = &cfg->exits;
    size_t kept = 0;
    if (edges->n)
        qsort(edges->at, edges->n, sizeof *edges->at, cfg_edge_order);
    for (size_t i = 0; i < edges->n; i++)
        if (!kept || cfg_edge_order(&edges->at[kept - 1], &edges->at[i]) != 0)
            edges->at[kept++] = edges->at[i];
    edges->n = kept;
    kept = 0;
    if (exits->n)
        qsort(exits->at, exits->n, sizeof *exits->at, exit_order);
    for (size_t i = 0; i < exits->n; i++)
        if (!kept || exit_order(&exits->at[kept - 1], &exits->at[i]) != 0)
            exits->at[kept++] = exits->at[i];
    exits->n = kept;
}

void cfg_build(struct cfg *cfg, const struct image *image, const struct symbols *symbols,
               function_id function, const struct cfg_seen *seen, size_t n_seen)
{
    *cfg = (struct cfg){0};
    struct builder builder = {
        .cfg = cfg, .image = image, .symbols = symbols, .seen = seen, .n_seen = n_seen};
    pieces_make(cfg, symbols, function);
    decode_all(&builder);
    leaders_mark(&builder);
    blocks_make(&builder);
    tables_resolve(&builder);
    bool *resolved = mem_alloc(cfg->instructions.n * sizeof *resolved);
    for (size_t b = 0; b < cfg->blocks.n; b++)
        edges_from_block(cfg, &cfg->blocks.at[b]);
    edges_of_tables(cfg);
    edges_seen(&builder, resolved);
    exits_static(cfg, resolved);
    edges_settle(cfg);
    mem_free(resolved);
    mem_free(builder.leader);
    vec_release(&builder.targets);
}
