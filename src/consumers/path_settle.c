#include "consumers/path_settle.h"

#include "base/phase.h"
#include "consumers/path_walk.h"
#include "profile/batch.h"
#include "profile/sums.h"

struct settling {
    struct profile *profile;
    struct mappings mappings; /* none: modules are known by number */
    struct units units;       /* of the sheet under way */
    struct batch batch;       /* under way */
    struct path_book book;
    struct path_walks walks;
    struct path_walk walk;
    uint32_t exits[PARTS_PART_MAX]; /* of the part under way */
};

/* ---- units */

static void segment_add(struct units *units, const struct parts_segment *from)
{
    *vec_push(&units->segments) = (struct unit_segment){.start = from->start,
                                                        .at = {from->module, {from->at}},
                                                        .bytes = from->bytes,
                                                        .instructions = from->instructions,
                                                        .end = from->end,
                                                        .last_bytes = from->last_bytes};
}

/* The first of two that claim an exit has it. */
static void block_add(struct units *units, const struct parts_block *block)
{
    const struct unit_segment *last = &units->segments.at[units->segments.n - 1];
    uint32_t n_exits = block->n_segments + (last->end == SEGMENT_COND);
    while (units->owner.n < block->first_exit + n_exits)
        *vec_push(&units->owner) = UNIT_NONE;
    for (uint32_t i = 0; i < n_exits; i++)
        if (units->owner.at[block->first_exit + i] == UNIT_NONE)
            units->owner.at[block->first_exit + i] = (int32_t)units->superblocks.n;
    *vec_push(&units->superblocks) =
        (struct superblock){.first_segment = (uint32_t)units->segments.n - block->n_segments,
                            .n_segments = block->n_segments,
                            .first_exit = block->first_exit,
                            .n_exits = n_exits};
}

static void units_fill(struct settling *settling, const struct path_sheet *sheet)
{
    const struct parts_segment *segment = sheet->segments.at;
    units_release(&settling->units);
    units_init(&settling->units, &settling->mappings);
    for (size_t i = 0; i < sheet->blocks.n; i++) {
        for (uint32_t k = 0; k < sheet->blocks.at[i].n_segments; k++)
            segment_add(&settling->units, segment++);
        block_add(&settling->units, &sheet->blocks.at[i]);
    }
    settling->walks.stretches.n = settling->walks.rests.n = 0;
}

/* ---- parts */

/* All exits of a window are known, unless the file is damaged: a part with others is left out. */
static bool exits_known(const struct settling *settling, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (units_owner(&settling->units, settling->exits[i]) == UNIT_NONE)
            return false;
    return true;
}

static bool part_settle(struct settling *settling, struct parts_reader *reader,
                        const struct window_part *part)
{
    const struct units *units = &settling->units;
    if (!parts_read(reader, settling->exits, part->n))
        return false;
    int32_t next = units_owner(units, part->end);
    if (next == UNIT_NONE || !exits_known(settling, part->n))
        return true;
    const struct unit_segment *first =
        &units->segments.at[units->superblocks.at[next].first_segment];
    path_walk_begin(&settling->walk, part->weight, part->instructions);
    path_walk_exits(&settling->walks, &settling->walk, settling->exits, part->n,
                    &(struct path_end){first->start, first->at, 0});
    return true;
}

static void batch_fold(struct settling *settling, const struct parts_batch *batch)
{
    struct profile *profile = settling->profile;
    struct batch_table *from = &settling->batch.paths;
    path_series_give(&settling->walks.series, profile, batch->group);
    stacks_add(&profile->series, stacks_node(&profile->series, STACK_NONE, MODULE_NONE, 0),
               batch->group, batch->x_count);
    for (uint32_t i = 0; i < from->cells.n; i++) {
        uint64_t count = from->cells.at[i].count;
        if (count)
            sums_add_batch(table_at(&profile->paths, map_key(&from->keys, i)), 0, count,
                           batch->x_time, batch->x_count);
        from->cells.at[i] = (struct batch_cell){0};
    }
}

static void sheet_settle(struct settling *settling, const struct path_sheet *sheet)
{
    struct parts_reader reader;
    const struct window_part *part = sheet->parts.at;
    units_fill(settling, sheet);
    parts_reader_open(&reader, &sheet->body);
    bool more = true;
    for (size_t i = 0; i < sheet->batches.n; i++) {
        for (uint32_t k = 0; k < sheet->batches.at[i].n_parts; k++, part++)
            more = more && part_settle(settling, &reader, part);
        batch_fold(settling, &sheet->batches.at[i]);
    }
    parts_reader_close(&reader);
}

void path_settle(struct profile *profile)
{
    struct settling *settling = mem_alloc(sizeof *settling);
    settling->profile = profile;
    mappings_init(&settling->mappings, profile, 0);
    units_init(&settling->units, &settling->mappings);
    batch_init(&settling->batch);
    path_walks_init(&settling->walks, &settling->units, &settling->book, &settling->batch);
    phase_set("searching paths in windows", NULL);
    for (size_t i = 0; i < profile->path_parts.n; i++)
        sheet_settle(settling, &profile->path_parts.at[i]);
    path_parts_clear(&profile->path_parts);
    path_walk_release(&settling->walk);
    path_walks_release(&settling->walks);
    path_book_release(&settling->book);
    batch_release(&settling->batch);
    units_release(&settling->units);
    mappings_release(&settling->mappings);
    mem_free(settling);
}
