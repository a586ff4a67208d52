#include "waste/waste_rows.h"

static struct place caller_at(const struct waste_blocks *blocks, uint32_t number)
{
    return number == WASTE_NOWHERE ? (struct place){MODULE_NONE, {0}} : blocks->code.at[number].at;
}

static uint64_t class_of(uint64_t distance)
{
    static const uint64_t distances[WASTE_CLASSES] = WASTE_DISTANCES;
    uint64_t class = 0;
    while (distance > distances[class])
        class ++;
    return class;
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
                              .kind = found->kind | class_of(found->distance) << WASTE_CLASS_SHIFT};
}

/* What is wasted is the first of a pair, or the second. */
static uint32_t wasted(const struct waste_found *found)
{
    bool second = found->kind == WASTE_SILENT_STORE || found->kind == WASTE_REDUNDANT_LOAD ||
                  found->kind == WASTE_COPY_OF_COPY || found->kind == WASTE_SAME_CALL;
    return second ? found->second.code : found->first.code;
}

static bool has_room(const struct waste_rows *rows, const struct waste_key *key, uint32_t most)
{
    const struct map *keys = &rows->batch->waste.keys;
    return keys->n < most || map_find(keys, key) != MAP_NONE;
}

/* The key's row in the batch; MAP_NONE: there are too many. */
static uint32_t row_of(struct waste_rows *rows, struct waste_key *key)
{
    if (!has_room(rows, key, rows->most)) {
        key->first_caller_module = key->second_caller_module = MODULE_NONE;
        key->first_caller = key->second_caller = (struct svma){0};
        if (!has_room(rows, key, rows->most + rows->most / 2)) {
            rows->crowded++;
            return MAP_NONE;
        }
    }
    return batch_waste_index(rows->batch, key);
}

static bool same_site(struct waste_site a, struct waste_site b)
{
    return a.code == b.code && a.caller == b.caller;
}

/* The same without making its key, mostly: findings come again and again. */
static uint32_t found_row(struct waste_rows *rows, const struct waste_found *found)
{
    uint32_t kind = (uint32_t)(found->kind | class_of(found->distance) << WASTE_CLASS_SHIFT);
    uint64_t mixed =
        ((uint64_t)found->first.code << 32 | found->second.code) * 0x9e3779b97f4a7c15 ^
        ((uint64_t)found->first.caller << 32 | found->second.caller) * 0xc2b2ae3d27d4eb4f ^
        kind * 0x165667b19e3779f9;
    struct waste_recent *recent = &rows->recent[(mixed >> 40) % WASTE_RECENT];
    if (recent->kind != kind || !same_site(recent->first, found->first) ||
        !same_site(recent->second, found->second)) {
        struct waste_key key = key_of(rows->blocks, found);
        uint32_t row = row_of(rows, &key);
        if (row == MAP_NONE)
            return MAP_NONE;
        *recent = (struct waste_recent){found->first, found->second, kind, row};
    }
    return recent->row;
}

/* How many of its kind the finding stands for. 0: for too many. */
static uint64_t stands_for(const struct waste_rows *rows, uint64_t distance)
{
    if (!rows->length)
        return rows->weight;
    if (distance > rows->length / 8 * WASTE_REACH)
        return 0;
    return (uint64_t)((double)rows->weight * (double)rows->length /
                      (double)(rows->length - distance));
}

static void found(void *of, const struct waste_found *found)
{
    struct waste_rows *rows = of;
    uint64_t count = stands_for(rows, found->distance);
    if (!count)
        return;
    rows->blocks->looked.at[rows->blocks->code.at[wasted(found)].place].found = true;
    uint32_t row = found_row(rows, found);
    if (row != MAP_NONE)
        batch_table_add(&rows->batch->waste, row, count * found->bytes, count);
}

/* What was looked at. Shares need these rows, and the instructions that ran bound them. */
static void look_add(struct waste_rows *rows, enum waste_kind kind, struct place at, uint64_t count)
{
    struct waste_key key = {.first_module = at.module,
                            .second_module = at.module,
                            .first_caller_module = MODULE_NONE,
                            .second_caller_module = MODULE_NONE,
                            .first = at.address,
                            .second = at.address,
                            .kind = kind};
    batch_table_add(&rows->batch->waste, batch_waste_index(rows->batch, &key), 0, count);
}

void waste_rows_init(struct waste_rows *rows, struct waste_blocks *blocks, struct batch *batch,
                     uint32_t most)
{
    *rows = (struct waste_rows){.blocks = blocks, .batch = batch, .weight = 1, .most = most};
    rows->listener = (struct waste_listener){found, rows};
}

void waste_rows_window(struct waste_rows *rows)
{
    struct waste_blocks *blocks = rows->blocks;
    uint64_t all = 0;
    for (size_t i = 0; i < blocks->met.n; i++) {
        struct waste_instruction *instruction = &blocks->code.at[blocks->met.at[i]];
        struct waste_looked *looked = &blocks->looked.at[instruction->place];
        all += instruction->executed;
        looked->weight += instruction->executed * rows->weight;
        instruction->executed = 0;
        if (looked->found) {
            look_add(rows, WASTE_LOOKED, instruction->at, looked->weight);
            looked->weight = 0;
        }
    }
    if (all)
        look_add(rows, WASTE_ALL, (struct place){blocks->code.at[blocks->met.at[0]].at.module, {0}},
                 all * rows->weight);
    blocks->met.n = 0;
}
