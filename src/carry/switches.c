#include "carry/switches.h"

#include "program/elf/image.h"

#include <string.h>

/* The block that an entry of a table leads to; BLOCK_NONE: to none of the function. */
static block_id entry_block(const struct carry_side *side, const struct jump *jump, uint64_t i)
{
    size_t room;
    struct svma at = {jump->table.v + (jump->first + i) * jump->entry_bytes};
    const uint8_t *bytes = image_bytes(side->image, at, &room);
    if (!bytes || room < jump->entry_bytes)
        return BLOCK_NONE;
    uint64_t to = 0;
    int32_t offset;
    if (jump->entry_bytes == sizeof offset) {
        memcpy(&offset, bytes, sizeof offset);
        to = jump->base.v + (uint64_t)(int64_t)offset;
    } else {
        memcpy(&to, bytes, sizeof to);
    }
    uint32_t found = cfg_find(side->cfg, (struct svma){to});
    return found == INSTRUCTION_NONE ? BLOCK_NONE : side->cfg->block_of[found];
}

static bool is_table(const struct jump *jump)
{
    return jump->reason == REASON_NONE && (jump->entry_bytes == 4 || jump->entry_bytes == 8);
}

/* The only table of that length, which several jumps may go through; NULL: there is none, or there
 * are more. */
static const struct jump *table_of_length(const struct cfg *cfg, uint64_t n)
{
    const struct jump *only = NULL;
    for (size_t i = 0; i < cfg->jumps.n; i++) {
        const struct jump *jump = &cfg->jumps.at[i];
        if (!is_table(jump) || jump->n != n)
            continue;
        if (only && (only->table.v != jump->table.v || only->first != jump->first))
            return NULL;
        only = jump;
    }
    return only;
}

void carry_cases_find(struct carry_cases *cases, const struct carry_side *old,
                      const struct carry_side *new)
{
    for (size_t i = 0; i < old->cfg->jumps.n; i++) {
        const struct jump *jump = &old->cfg->jumps.at[i];
        /* Each table once, at the last jump through it. */
        if (!is_table(jump) || table_of_length(old->cfg, jump->n) != jump)
            continue;
        const struct jump *other = table_of_length(new->cfg, jump->n);
        for (uint64_t k = 0; other && k < jump->n; k++) {
            block_id from = entry_block(old, jump, k), to = entry_block(new, other, k);
            if (from != BLOCK_NONE && to != BLOCK_NONE)
                *vec_push(cases) = (struct carry_case){from, to};
        }
    }
}
