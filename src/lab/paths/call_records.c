#include "lab/paths/call_records.h"

#include "analysis/counts/scene.h"
#include "profile/profile.h"

/* No padding: compared by bytes. */
struct record_key {
    uint32_t parent, function, module, reserved;
    uint64_t site;
};

void call_records_init(struct call_records *records, struct scene *scene, bool merged)
{
    *records = (struct call_records){.scene = scene, .merged = merged};
    map_init(&records->keys, sizeof(struct record_key));
    map_init(&records->functions, sizeof(struct call_function));
    map_init(&records->sites, sizeof(struct call_site));
}

void call_records_release(struct call_records *records)
{
    map_release(&records->keys);
    map_release(&records->functions);
    map_release(&records->sites);
    vec_release(records);
}

static uint32_t function_of(struct call_records *records, struct stack_key key)
{
    uint32_t module = scene_module(records->scene, 0, key.module);
    function_id function = module == MODULE_NONE
                               ? FUNCTION_NONE
                               : scene_function_at(records->scene, module, key.address);
    struct call_function found = {module, function, function == FUNCTION_NONE ? key.address : 0};
    return map_add(&records->functions, &found);
}

/* The record, or one above it, of the function. */
static uint32_t above_find(const struct call_records *records, uint32_t record, uint32_t function)
{
    while (record != CALL_RECORD_NONE && records->at[record].function != function)
        record = records->at[record].parent;
    return record;
}

static uint32_t record_get(struct call_records *records, uint32_t parent, uint32_t function,
                           struct stack_key site)
{
    uint32_t above = above_find(records, parent, function);
    if (above != CALL_RECORD_NONE)
        return above;
    struct record_key key = {.parent = parent, .function = function};
    if (!records->merged) {
        key.module = site.module;
        key.site = site.address;
    }
    uint32_t index = map_add(&records->keys, &key);
    if (index < records->n)
        return index;
    bool outermost = parent == CALL_RECORD_NONE;
    *vec_push(records) = (struct call_record){.parent = parent, .function = function, .depth = 1};
    if (!outermost) {
        records->at[index].depth += records->at[parent].depth;
        records->at[parent].children++;
    }
    return index;
}

/* Recursive: a stack has at most STACK_DEPTH_MAX frames. */
uint32_t call_record_of(struct call_records *records, const struct stacks *stacks, uint32_t node)
{
    struct stack_key key = stacks_key(stacks, node), site = {.module = MODULE_NONE};
    uint32_t parent = CALL_RECORD_NONE;
    if (stacks_key(stacks, key.parent).parent != STACK_NONE) {
        site = stacks_key(stacks, key.parent);
        parent = call_record_of(records, stacks, key.parent);
        struct call_site used = {parent, site.module, site.address};
        map_add(&records->sites, &used);
    }
    return record_get(records, parent, function_of(records, key), site);
}

void call_records_take(struct call_records *records, const struct stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        if (stacks_key(stacks, cell->node).parent != STACK_NONE)
            call_record_of(records, stacks, cell->node);
    }
}
