#include "program/cfg/jump_tables.h"

#include "program/cfg/cfg.h"
#include "program/cfg/jump_paths.h"
#include "program/cfg/jump_search.h"
#include "program/cfg/operations.h"
#include "program/cfg/table_entries.h"

/* ---- which jumps may be through tables */

static enum cfg_reason reason_at_sight(const struct cfg *cfg, const struct image *image,
                                       uint32_t instruction)
{
    struct operation operation;
    if (!operation_read(image, &cfg->instructions.at[instruction], &operation) ||
        operation.kind != OPERATION_JUMP)
        return REASON_UNTRACKED;
    if (operation.src.kind == OPERAND_MEMORY && operation.src.index == REGISTER_NONE)
        return operation.src.base == REGISTER_NONE ? REASON_SLOT : REASON_POINTER;
    if (operation.src.kind != OPERAND_REGISTER)
        return REASON_UNREACHED;
    uint8_t reg = operation.src.reg;
    for (uint32_t i = instruction; i-- > cfg->blocks.at[cfg->block_of[instruction]].first;) {
        if (!operation_read(image, &cfg->instructions.at[i], &operation))
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
static bool jumps_list(struct jumps *jumps, const struct cfg *cfg, const struct image *image)
{
    bool any = false;
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        if (cfg->instructions.at[i].kind != INSTRUCTION_IJUMP)
            continue;
        struct jump *jump = vec_push(jumps);
        jump->instruction = (uint32_t)i;
        jump->reason = (uint8_t)reason_at_sight(cfg, image, (uint32_t)i);
        any |= jump->reason == REASON_UNREACHED;
    }
    return any;
}

/* Whether a target was found that is no block yet: the caller makes one of it and asks again. */
static bool has_new_targets(const struct jumps *jumps, const struct cfg *cfg)
{
    for (size_t i = 0; i < jumps->targets.n; i++) {
        struct svma at = jumps->targets.at[i];
        uint32_t instruction = cfg_find(cfg, at);
        if (instruction != INSTRUCTION_NONE &&
            cfg->blocks.at[cfg->block_of[instruction]].start.v != at.v)
            return true;
    }
    return false;
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

static struct operation *operations_read(const struct cfg *cfg, const struct image *image)
{
    struct operation *operations = mem_alloc(cfg->instructions.n * sizeof *operations);
    for (size_t i = 0; i < cfg->instructions.n; i++)
        operation_read(image, &cfg->instructions.at[i], &operations[i]);
    return operations;
}

void jumps_find(struct jumps *jumps, const struct cfg *cfg, const struct image *image,
                const struct symbols *symbols, struct jumps_work *work)
{
    uint64_t *effort = &work->effort;
    *jumps = (struct jumps){0};
    if (!jumps_list(jumps, cfg, image))
        return;
    if (!work->operations)
        work->operations = operations_read(cfg, image);
    struct tables_read read = {0};
    struct jump_search search = {.jumps = jumps,
                                 .cfg = cfg,
                                 .image = image,
                                 .symbols = symbols,
                                 .operations = work->operations,
                                 .effort = effort,
                                 .read = &read};
    struct jump_paths paths;
    jump_paths_init(&paths, &search);
    if (work->stacks.names[0])
        paths.tracker.stacks = work->stacks;
    /* Whatever escapes late was trusted before: once more, knowing it. */
    do {
        paths.tracker.escaped_more = false;
        jump_paths_entry(&paths);
        jump_paths_settle(&paths);
        if (has_new_targets(jumps, cfg))
            break;
        jump_paths_roots(&paths);
        jump_paths_settle(&paths);
    } while (paths.tracker.escaped_more && *effort);
    if (!*effort)
        give_up(jumps);
    work->stacks = paths.tracker.stacks;
    jump_paths_release(&paths);
    tables_read_release(&read);
}

void jumps_work_release(struct jumps_work *work)
{
    mem_free(work->operations);
    *work = (struct jumps_work){0};
}
