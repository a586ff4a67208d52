#include "waste/waste_rows.h"

static struct place caller_at(const struct waste_blocks *blocks, uint32_t number)
{
    return number == WASTE_NOWHERE ? (struct place){MODULE_NONE, {0}} : blocks->code.at[number].at;
}

static struct waste_key key_of(const struct waste_blocks *blocks, const struct waste_found *found)
{
    struct place first = blocks->code.at[found->first.code].at,
                 second = blocks->code.at[found->second.code].at,
                 first_caller = caller_at(blocks, found->first.caller),
                 second_caller = caller_at(blocks, found->second.caller);
    return (struct waste_key){.first_module = first.module,
                              .second_module = second.module,
                              .first_caller_module = first_caller.module,
                              .second_caller_module = second_caller.module,
                              .first = first.address,
                              .second = second.address,
                              .first_caller = first_caller.address,
                              .second_caller = second_caller.address,
                              .kind = found->kind};
}

/* What is wasted is the first of a pair, or the second. */
static uint32_t wasted(const struct waste_found *found)
{
    bool second = found->kind == WASTE_SILENT_STORE || found->kind == WASTE_REDUNDANT_LOAD ||
                  found->kind == WASTE_COPY_OF_COPY || found->kind == WASTE_SAME_CALL;
    return second ? found->second.code : found->first.code;
}

static void row_add(struct waste_rows *rows, const struct waste_key *key, uint64_t bytes,
                    uint64_t count)
{
    struct batch *batch = rows->batch;
    if (batch->waste.keys.n >= WASTE_ROWS && map_find(&batch->waste.keys, key) == MAP_NONE)
        rows->crowded++;
    else
        batch_table_add(&batch->waste, batch_waste_index(batch, key), bytes, count);
}

static void found(void *of, const struct waste_found *found)
{
    struct waste_rows *rows = of;
    uint64_t count = rows->weight;
    if (rows->length) {
        if (found->distance > rows->length / 8 * WASTE_REACH)
            return;
        count = (uint64_t)((u128)count * rows->length / (rows->length - found->distance));
    }
    struct waste_key key = key_of(rows->blocks, found);
    rows->blocks->code.at[wasted(found)].found = true;
    row_add(rows, &key, count * found->bytes, count);
}

/* What was looked at. */
static void look_add(struct waste_rows *rows, enum waste_kind kind, struct place at, uint64_t count)
{
    struct waste_key key = {.first_module = at.module,
                            .second_module = at.module,
                            .first_caller_module = MODULE_NONE,
                            .second_caller_module = MODULE_NONE,
                            .first = at.address,
                            .second = at.address,
                            .kind = kind};
    row_add(rows, &key, 0, count);
}

void waste_rows_init(struct waste_rows *rows, struct waste_blocks *blocks, struct batch *batch)
{
    *rows = (struct waste_rows){.blocks = blocks, .batch = batch, .weight = 1};
    rows->listener = (struct waste_listener){found, rows};
}

void waste_rows_window(struct waste_rows *rows)
{
    struct waste_blocks *blocks = rows->blocks;
    uint64_t all = 0;
    for (size_t i = 0; i < blocks->met.n; i++) {
        struct waste_instruction *instruction = &blocks->code.at[blocks->met.at[i]];
        all += instruction->executed;
        instruction->looked += instruction->executed * rows->weight;
        instruction->executed = 0;
        instruction->met = false;
        if (!instruction->found)
            continue;
        look_add(rows, WASTE_LOOKED, instruction->at, instruction->looked);
        instruction->looked = 0;
    }
    if (all)
        look_add(rows, WASTE_ALL, (struct place){blocks->code.at[blocks->met.at[0]].at.module, {0}},
                 all * rows->weight);
    blocks->met.n = 0;
}
