#include "carry/pair.h"
#include "program/cfg/cfg_build.h"

struct seen {
    VEC(struct cfg_seen);
};

/* Where indirect jumps were seen to lead, and the code alone does not say so. */
static void seen_carry(struct seen *seen, const struct carry_pair *pair)
{
    const struct cfg *old = &pair->counted->cfg, *new = &pair->new_cfg;
    for (size_t i = 0; i < old->edges.n; i++) {
        const struct cfg_edge *edge = &old->edges.at[i];
        block_id from = pair->blocks.new_of[edge->from_block],
                 to = pair->blocks.new_of[edge->to_block];
        if (edge->kind != CFG_INDIRECT || from == BLOCK_NONE || to == BLOCK_NONE)
            continue;
        const struct cfg_block *source = &new->blocks.at[from];
        const struct instruction *last =
            &new->instructions.at[source->first + source->instructions - 1];
        if (last->kind == INSTRUCTION_IJUMP)
            *vec_push(seen) = (struct cfg_seen){.from = last->at, .to = new->blocks.at[to].start};
    }
}

void carry_pair_open(struct carry_pair *pair, const struct scene *scene,
                     const struct counted_function *counted, const struct binary *new_binary,
                     function_id new_function)
{
    const struct binary *old_binary = scene->modules.at[counted->seen.module].binary;
    struct seen seen = {0};
    *pair = (struct carry_pair){
        .counted = counted,
        .old = {&old_binary->image, &old_binary->symbols, &counted->cfg, old_binary->lines},
        .new = {&new_binary->image, &new_binary->symbols, &pair->new_cfg, new_binary->lines},
    };
    cfg_build(&pair->new_cfg, pair->new.image, pair->new.symbols, new_function, NULL, 0);
    carry_pairs_make(&pair->blocks, &pair->old, &pair->new);
    seen_carry(&seen, pair);
    if (!seen.n)
        return;
    carry_pairs_release(&pair->blocks);
    cfg_release(&pair->new_cfg);
    cfg_build(&pair->new_cfg, pair->new.image, pair->new.symbols, new_function, seen.at, seen.n);
    carry_pairs_make(&pair->blocks, &pair->old, &pair->new);
    vec_release(&seen);
}

void carry_pair_close(struct carry_pair *pair)
{
    carry_pairs_release(&pair->blocks);
    cfg_release(&pair->new_cfg);
}
