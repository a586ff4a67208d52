#include "analysis/counts/items.h"

#include "analysis/counts/counted_module.h"
#include "analysis/counts/items_loops.h"
#include "base/phase.h"

#include <stdlib.h>
#include <string.h>

static const char *const by_names[] = {
    [BY_FUNCTION] = "function", [BY_LINE] = "line", [BY_BLOCK] = "block",
    [BY_EDGE] = "edge",         [BY_CALL] = "call", [BY_INSTRUCTION] = "instruction",
    [BY_INLINE] = "inline",     [BY_LOOP] = "loop", [BY_PATH] = "path",
};

const char *item_by_name(enum item_by by)
{
    return by_names[by];
}

bool item_by_parse(const char *name, enum item_by *ret_by)
{
    for (size_t i = 0; i < BY_PATH; i++)
        if (strcmp(name, by_names[i]) == 0) {
            *ret_by = (enum item_by)i;
            return true;
        }
    return false;
}

bool item_by_inferred(enum item_by by)
{
    return by == BY_FUNCTION || by == BY_BLOCK || by == BY_EDGE || by == BY_PATH;
}

const char *cfg_edge_kind_name(enum cfg_edge_kind kind)
{
    static const char *const names[] = {
        [CFG_TAKEN] = "taken",       [CFG_FALL] = "fall", [CFG_JUMP] = "jump",
        [CFG_INDIRECT] = "indirect", [CFG_NEXT] = "next", [CFG_CASE] = "case"};
    return names[kind];
}

const char *edge_kind_name(enum edge_kind kind)
{
    static const char *const names[EDGE_KINDS] = {
        [EDGE_TAKEN] = "taken", [EDGE_FALL] = "fall",      [EDGE_JUMP] = "jump",
        [EDGE_SPLIT] = "split", [EDGE_IJUMP] = "indirect", [EDGE_CALL] = "call",
        [EDGE_ICALL] = "icall", [EDGE_RETURN] = "return",  [EDGE_SYSCALL] = "syscall"};
    return kind < EDGE_KINDS ? names[kind] : "unknown";
}

/* ---- one function */

struct lister {
    struct items *items;
    const struct scene *scene;
    const struct scene_function *function;
    enum item_by by;
};

static bool quantity_any(const struct quantity *quantity)
{
    return quantity->count || quantity->time;
}

/* An item of this function that some side has seen is kept. */
static void item_keep(struct lister *lister, struct item *item)
{
    bool any = false;
    for (uint32_t side = 0; side < lister->scene->n_sides; side++)
        any |= quantity_any(&item->count[side]) || quantity_any(&item->body[side]);
    if (!any)
        return;
    item->module = lister->function->module;
    item->function = lister->function->function;
    *vec_push(lister->items) = *item;
}

static void list_function(struct lister *lister, const struct flow *flows)
{
    const struct binary *binary = lister->scene->modules.at[lister->function->module].binary;
    struct item item = {.at = binary->symbols.functions.at[lister->function->function].start.v};
    for (uint32_t side = 0; side < lister->scene->n_sides; side++) {
        item.count[side] = flows[side].entries;
        item.body[side] = flows[side].body;
    }
    item_keep(lister, &item);
}

static void list_instructions(struct lister *lister, const struct cfg *cfg,
                              const struct flow *flows)
{
    for (size_t i = 0; i < cfg->instructions.n; i++) {
        struct item item = {.at = cfg->instructions.at[i].at.v,
                            .bytes = cfg->instructions.at[i].bytes};
        for (uint32_t side = 0; side < lister->scene->n_sides; side++)
            item.body[side] = item.count[side] = flows[side].instructions[i];
        item_keep(lister, &item);
    }
}

static void list_blocks(struct lister *lister, const struct cfg *cfg, const struct flow *flows)
{
    for (size_t b = 0; b < cfg->blocks.n; b++) {
        const struct cfg_block *block = &cfg->blocks.at[b];
        struct item item = {.at = block->start.v, .bytes = block->bytes};
        for (uint32_t side = 0; side < lister->scene->n_sides; side++) {
            item.count[side] = flows[side].instructions[block->first];
            for (uint32_t i = 0; i < block->instructions; i++)
                quantity_add(&item.body[side], &flows[side].instructions[block->first + i]);
        }
        item_keep(lister, &item);
    }
}

static void list_edges(struct lister *lister, const struct cfg *cfg, const struct flow *flows)
{
    for (size_t e = 0; e < cfg->edges.n; e++) {
        const struct cfg_edge *edge = &cfg->edges.at[e];
        struct item item = {.at = edge->from.v,
                            .to = edge->to.v,
                            .to_module = lister->function->module,
                            .kind = edge->kind};
        for (uint32_t side = 0; side < lister->scene->n_sides; side++)
            item.count[side] = flows[side].edges[e];
        item_keep(lister, &item);
    }
}

static void list_with_graph(struct lister *lister, const struct counted_function *counted)
{
    const struct cfg *cfg = &counted->cfg;
    const struct flow *flows = counted->flows;
    switch (lister->by) {
    case BY_FUNCTION: list_function(lister, flows); break;
    case BY_BLOCK: list_blocks(lister, cfg, flows); break;
    case BY_EDGE: list_edges(lister, cfg, flows); break;
    case BY_LINE:
    case BY_INLINE:
    case BY_INSTRUCTION: list_instructions(lister, cfg, flows); break;
    case BY_LOOP: items_list_loops(lister->items, lister->scene, counted); break;
    case BY_CALL:
    case BY_PATH: break;
    }
    for (uint32_t side = 0; side < lister->scene->n_sides; side++) {
        lister->items->stray += flows[side].stray;
        lister->items->begun += flows[side].begun;
        lister->items->ended += flows[side].ended;
    }
}

/* ---- records as they are */

/* The item of that place, made if it is new; `first` is where this function's items begin. */
static struct item *item_at(struct lister *lister, struct map *places, size_t first,
                            const struct item *wanted)
{
    uint64_t key[4] = {wanted->at, wanted->to, wanted->to_module, wanted->kind};
    uint32_t i = map_add(places, key);
    if (first + i == lister->items->n) {
        struct item *item = vec_push(lister->items);
        *item = *wanted;
        item->module = lister->function->module;
        item->function = lister->function->function;
    }
    return &lister->items->at[first + i];
}

/* Whether an edge record stays inside a function: an edge, and not a call. */
static bool edge_inside(const struct scene *scene, const struct touch *touch,
                        const struct edge_key *key)
{
    return scene_module(scene, touch->side, key->to_module) == touch->module &&
           scene_function_at(scene, touch->module, key->to.v) == touch->function;
}

/* A jump of another function to where this one does not start. */
static bool edge_lands(const struct scene *scene, const struct touch *touch,
                       const struct edge_key *key)
{
    uint32_t module = scene_module(scene, touch->side, key->to_module);
    function_id function = scene_function_at(scene, module, key->to.v);
    return key->kind == EDGE_IJUMP && function != FUNCTION_NONE &&
           scene->modules.at[module].binary->symbols.functions.at[function].start.v != key->to.v;
}

static void record_edge(struct lister *lister, struct map *places, size_t first,
                        const struct touch *touch)
{
    const struct profile *profile = lister->scene->sides[touch->side];
    const struct edge_key *key = map_key(&profile->edges.keys, touch->record);
    bool call = key->kind == EDGE_CALL || key->kind == EDGE_ICALL;
    bool branch = key->kind == EDGE_TAKEN || key->kind == EDGE_FALL || key->kind == EDGE_JUMP ||
                  key->kind == EDGE_IJUMP;
    bool inside = branch && edge_inside(lister->scene, touch, key);
    bool wanted = lister->by == BY_CALL ? call || (branch && !inside) : inside;
    if (touch->kind != TOUCH_OUT || !wanted)
        return;
    struct quantity quantity = quantity_of(profile, &profile->edges.at[touch->record]);
    if (!inside && edge_lands(lister->scene, touch, key)) {
        quantity_add(&lister->items->landings[touch->side], &quantity);
        return;
    }
    static const uint8_t kinds[EDGE_KINDS] = {[EDGE_TAKEN] = CFG_TAKEN,
                                              [EDGE_FALL] = CFG_FALL,
                                              [EDGE_JUMP] = CFG_JUMP,
                                              [EDGE_IJUMP] = CFG_INDIRECT};
    struct item item = {
        .at = key->from.v,
        .to = key->to.v,
        .to_module = scene_module(lister->scene, touch->side, key->to_module),
        .kind = lister->by == BY_CALL ? (uint8_t)key->kind : kinds[key->kind],
    };
    quantity_add(&item_at(lister, places, first, &item)->count[touch->side], &quantity);
}

/* Where the function starts, as the recording names code without a file; 0: not known. */
static uint64_t named_start(const struct profile *profile, uint32_t module, uint64_t at)
{
    const struct name *name = names_find(&profile->names, module, at);
    return name ? name->start : 0;
}

static void record_range(struct lister *lister, struct map *places, size_t first,
                         const struct touch *touch)
{
    const struct profile *profile = lister->scene->sides[touch->side];
    const struct range_key *key = map_key(&profile->ranges.keys, touch->record);
    if (touch->kind != TOUCH_RANGE || (lister->by != BY_BLOCK && lister->by != BY_FUNCTION))
        return;
    struct item wanted = {.at = lister->by == BY_BLOCK
                                    ? key->start.v
                                    : named_start(profile, key->module, key->start.v)};
    struct item *item = item_at(lister, places, first, &wanted);
    struct quantity quantity = quantity_of(profile, &profile->ranges.at[touch->record]);
    if (lister->by == BY_BLOCK)
        quantity_add(&item->count[touch->side], &quantity);
    quantity.count *= key->instructions;
    quantity.count_sd *= key->instructions;
    quantity.alone_sd *= key->instructions;
    quantity_add(&item->body[touch->side], &quantity);
}

static void record_time(struct lister *lister, struct map *places, size_t first,
                        const struct touch *touch)
{
    const struct stacks *stacks = &lister->scene->sides[touch->side]->stacks;
    const struct stack_cell *cell = map_key(&stacks->cells, touch->record);
    struct item wanted = {.at = 0};
    if (lister->by == BY_CALL || lister->by == BY_EDGE)
        return;
    struct stack_key key = stacks_key(stacks, cell->node);
    wanted.at = lister->by != BY_FUNCTION
                    ? key.address
                    : named_start(lister->scene->sides[touch->side], key.module, key.address);
    struct item *item = item_at(lister, places, first, &wanted);
    uint64_t weight = stacks->weights.at[touch->record];
    item->body[touch->side].time += weight;
    item->body[touch->side].bare +=
        bare_has(&lister->scene->bare[touch->side], cell->node) ? weight : 0;
}

static int item_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->to_module != y->to_module)
        return x->to_module < y->to_module ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void list_records(struct lister *lister)
{
    const struct scene *scene = lister->scene;
    size_t first = lister->items->n;
    struct map places;
    map_init(&places, 4 * sizeof(uint64_t));
    for (size_t i = 0; i < lister->function->n_touches; i++) {
        const struct touch *touch = &scene->touches.at[lister->function->first_touch + i];
        if (touch->kind == TOUCH_RANGE)
            record_range(lister, &places, first, touch);
        else if (touch->kind == TOUCH_TIME)
            record_time(lister, &places, first, touch);
        else if (lister->by == BY_CALL || lister->by == BY_EDGE)
            record_edge(lister, &places, first, touch);
    }
    map_release(&places);
    if (lister->items->n > first)
        qsort(lister->items->at + first, lister->items->n - first, sizeof *lister->items->at,
              item_order);
}

static void list_counted(struct items *items, const struct scene *scene, uint32_t module,
                         enum item_by by)
{
    struct counted_module counted;
    counted_module_open(&counted, scene, module, item_by_inferred(by));
    phase_set("counting functions of", scene->modules.at[module].module.path);
    for (size_t i = 0; i < counted.functions.n; i++) {
        phase_parts(i, counted.functions.n);
        const struct counted_function *function = counted_module_take(&counted, i);
        struct lister lister = {items, scene, &function->seen, by};
        list_with_graph(&lister, function);
        counted_module_drop(&counted, i);
    }
    counted_module_close(&counted);
}

/* Within a module, what has no function comes last. */
void items_list(struct items *items, const struct scene *scene, enum item_by by)
{
    const struct scene_functions *functions = &scene->functions;
    *items = (struct items){0};
    for (size_t i = 0; i < functions->n; i++) {
        uint32_t module = functions->at[i].module;
        bool graph = by != BY_CALL && functions->at[i].function != FUNCTION_NONE;
        struct lister lister = {items, scene, &functions->at[i], by};
        if (graph && (!i || functions->at[i - 1].module != module))
            list_counted(items, scene, module, by);
        else if (!graph && by != BY_LOOP)
            list_records(&lister);
    }
}

void items_release(struct items *items)
{
    vec_release(items);
}
