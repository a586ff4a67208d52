#include "analysis/counts/items_loops.h"

#include "program/cfg/loops.h"
#include "analysis/counts/trips.h"

struct lister {
    const struct scene *scene;
    const struct scene_function *function;
    const struct cfg *cfg;
    const struct flow *flows;
    struct loops loops;
    struct item *items; /* one for each loop */
};

/* What runs in a block runs in all loops around it. */
static void block_add(struct lister *lister, uint32_t side, block_id block)
{
    const struct cfg_block *ran = &lister->cfg->blocks.at[block];
    for (loop_id loop = lister->loops.of_block[block]; loop != LOOP_NONE;
         loop = lister->loops.at[loop].parent)
        for (uint32_t i = 0; i < ran->instructions; i++)
            quantity_add(&lister->items[loop].body[side],
                         &lister->flows[side].instructions[ran->first + i]);
}

/* An edge enters all loops that have its end and not its start. They are added up, not got as
 * iterations less jumps back: the difference of two large figures would say nothing. */
static void edge_add(struct lister *lister, uint32_t side, uint32_t index)
{
    const struct cfg_edge *edge = &lister->cfg->edges.at[index];
    for (loop_id loop = lister->loops.of_block[edge->to_block];
         loop != LOOP_NONE && !loops_hold(&lister->loops, loop, edge->from_block);
         loop = lister->loops.at[loop].parent)
        quantity_add(&lister->items[loop].entries[side], &lister->flows[side].edges[index]);
}

static void side_add(struct lister *lister, uint32_t side)
{
    const struct cfg *cfg = lister->cfg;
    const struct flow *flow = &lister->flows[side];
    for (loop_id i = 0; i < lister->loops.n; i++)
        lister->items[i].count[side] = *flow_block(flow, cfg, lister->loops.at[i].head);
    for (block_id block = 0; block < cfg->blocks.n; block++)
        block_add(lister, side, block);
    for (uint32_t edge = 0; edge < cfg->edges.n; edge++)
        edge_add(lister, side, edge);
    uint32_t first = cfg_find(cfg, cfg->entry);
    if (first == INSTRUCTION_NONE)
        return;
    for (loop_id loop = lister->loops.of_block[cfg->block_of[first]]; loop != LOOP_NONE;
         loop = lister->loops.at[loop].parent)
        quantity_add(&lister->items[loop].entries[side], &flow->entries);
}

/* Of all places in the loop, and in none inside of it, to which backward jumps lead: its head or,
 * where it is entered in its middle, the one that was seen most. Others are jumps back from parts
 * that stand behind it. */
static uint64_t trips_of(const struct lister *lister, loop_id loop)
{
    const struct scene *scene = lister->scene;
    const struct cfg_blocks *blocks = &lister->cfg->blocks;
    uint32_t module = lister->function->module;
    uint64_t head = blocks->at[lister->loops.at[loop].head].start.v, best = head, most = 0;
    for (uint32_t side = 0; side < scene->n_sides; side++)
        if (trips_seen(scene, side, module, head))
            return head;
    for (block_id block = 0; block < blocks->n; block++) {
        uint64_t seen = 0, at = blocks->at[block].start.v;
        if (lister->loops.of_block[block] != loop)
            continue;
        for (uint32_t side = 0; side < scene->n_sides; side++)
            seen += trips_seen(scene, side, module, at);
        if (seen > most) {
            most = seen;
            best = at;
        }
    }
    return best;
}

static void item_finish(struct lister *lister, struct items *items, loop_id index)
{
    const struct loop *loop = &lister->loops.at[index];
    struct item *item = &lister->items[index];
    bool any = false;
    for (uint32_t side = 0; side < lister->scene->n_sides; side++)
        any |= item->count[side].count || item->body[side].count || item->body[side].time;
    if (!any)
        return;
    block_id around = loop->parent == LOOP_NONE ? loop->head : lister->loops.at[loop->parent].head;
    item->module = item->to_module = lister->function->module;
    item->function = lister->function->function;
    item->at = lister->cfg->blocks.at[loop->head].start.v;
    item->to = lister->cfg->blocks.at[around].start.v;
    item->depth = loop->depth;
    item->irreducible = loop->irreducible;
    item->trips = trips_of(lister, index);
    *vec_push(items) = *item;
}

void items_list_loops(struct items *items, const struct scene *scene,
                      const struct counted_function *function)
{
    const struct cfg *cfg = &function->cfg;
    struct lister lister = {scene, &function->seen, cfg, function->flows, .loops = {0}};
    if (!cfg->blocks.n)
        return;
    loops_find(&lister.loops, cfg);
    lister.items = mem_alloc((lister.loops.n + 1) * sizeof *lister.items);
    for (uint32_t side = 0; side < scene->n_sides; side++)
        side_add(&lister, side);
    for (loop_id i = 0; i < lister.loops.n; i++)
        item_finish(&lister, items, i);
    mem_free(lister.items);
    loops_release(&lister.loops);
}
