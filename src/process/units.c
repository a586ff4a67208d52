#include "process/units.h"

#include <string.h>

void units_init(struct units *units, struct mappings *mappings)
{
    *units = (struct units){.mappings = mappings};
}

void units_release(struct units *units)
{
    vec_release(&units->segments);
    vec_release(&units->superblocks);
    vec_release(&units->payload);
    vec_release(&units->pairs);
    vec_release(&units->cuts);
    vec_release(&units->abandoned);
    vec_release(&units->paths);
    vec_release(&units->functions);
    vec_release(&units->owner);
    vec_release(&units->entry);
}

/* ---- superblocks */

static bool has_target(uint8_t end)
{
    return end != SEGMENT_IJUMP && end != SEGMENT_ICALL && end != SEGMENT_RETURN;
}

static bool segment_valid(const struct wire_segment *segment)
{
    if (segment->end > SEGMENT_STOP)
        return false;
    /* Linkers leave calls to 0 in place of functions that were not there, behind a test for them.
     */
    if (has_target(segment->end) && !segment->target && segment->end != SEGMENT_CALL &&
        segment->end != SEGMENT_JUMP)
        return false;
    if (segment->instructions == 0)
        return (segment->end == SEGMENT_STOP || segment->end == SEGMENT_SPLIT) &&
               segment->bytes == 0 && segment->last_bytes == 0;
    return segment->last_bytes >= 1 && segment->last_bytes <= 15 &&
           segment->bytes >= segment->last_bytes + (segment->instructions - 1u) &&
           segment->bytes <= segment->last_bytes + 15u * (segment->instructions - 1u);
}

/* Whether control can go on from one segment into the next of the same superblock. */
static bool follows(const struct wire_segment *segment, const struct wire_segment *next)
{
    if (segment->end == SEGMENT_COND)
        return next->start == segment->start + segment->bytes;
    return segment->end == SEGMENT_JUMP && next->start == segment->target;
}

/* Words that an item of each kind may have. */
static bool words_valid(const struct wire_payload *item)
{
    bool vector = item->kind == PAYLOAD_GATHER_INDEX || item->kind == PAYLOAD_GATHER_MASK ||
                  item->kind == PAYLOAD_VECTOR;
    return item->kind >= PAYLOAD_ADDRESS && item->kind < PAYLOAD_KINDS &&
           (vector ? item->words == 2 || item->words == 4 : item->words == 1);
}

/* Items stand in the order of their instructions, each inside its segment. */
static bool payload_valid(const struct wire_superblock *header, const struct wire_segment *segments,
                          const struct wire_payload *items)
{
    uint32_t segment = 0, first = 0;
    for (uint32_t i = 0; i < header->n_payload; i++) {
        const struct wire_payload *item = &items[i];
        if (!words_valid(item) || (i && item->instruction < items[i - 1].instruction))
            return false;
        while (item->instruction >= first + segments[segment].instructions) {
            first += segments[segment].instructions;
            if (++segment == header->n_segments)
                return false;
        }
        if (item->offset >= segments[segment].bytes)
            return false;
    }
    return true;
}

static bool superblock_valid(const struct wire_superblock *header,
                             const struct wire_segment *segments)
{
    uint32_t n = header->n_segments;
    if (n == 0 || header->bytes != sizeof *header + n * sizeof *segments +
                                       header->n_payload * sizeof(struct wire_payload))
        return false;
    if (header->n_exits != n + (segments[n - 1].end == SEGMENT_COND))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!segment_valid(&segments[i]) || (i + 1 < n && !follows(&segments[i], &segments[i + 1])))
            return false;
    return payload_valid(header, segments, (const struct wire_payload *)(segments + n));
}

/* Marks the exit ids as owned; false if they are out of bounds or taken. */
static bool exits_claim(struct units *units, uint32_t first, uint32_t n)
{
    if (first > UNITS_EXITS_MAX - n)
        return false;
    for (uint32_t exit = first; exit < first + n; exit++)
        if (units_owner(units, exit) != UNIT_NONE)
            return false;
    while (units->owner.n < first + n)
        *vec_push(&units->owner) = UNIT_NONE;
    for (uint32_t exit = first; exit < first + n; exit++)
        units->owner.at[exit] = (int32_t)units->superblocks.n;
    return true;
}

/* The number of the first of n counters. */
static uint32_t counters_claim(struct units *units, uint32_t first, uint32_t n)
{
    if (units->numbers)
        first = (uint32_t)units->counters;
    if (units->counters < (uint64_t)first + n)
        units->counters = (uint64_t)first + n;
    return first;
}

static void segment_add(struct units *units, const struct wire_segment *wire)
{
    struct unit_segment segment = {.start = wire->start,
                                   .target = has_target(wire->end) ? wire->target : 0,
                                   .bytes = wire->bytes,
                                   .instructions = wire->instructions,
                                   .end = wire->end,
                                   .last_bytes = wire->last_bytes};
    segment.at = mappings_place(units->mappings, (struct avma){segment.start});
    if (segment.target)
        segment.to = mappings_place(units->mappings, (struct avma){segment.target});
    *vec_push(&units->segments) = segment;
}

static bool superblock_add(struct units *units, const struct wire_superblock *header,
                           const struct wire_segment *segments)
{
    if (!superblock_valid(header, segments) ||
        !exits_claim(units, header->first_exit, header->n_exits))
        return false;
    uint32_t counter = counters_claim(units, header->counter, 1u + header->n_segments);
    *vec_push(&units->superblocks) =
        (struct superblock){.first_segment = (uint32_t)units->segments.n,
                            .n_segments = header->n_segments,
                            .first_exit = header->first_exit,
                            .n_exits = header->n_exits,
                            .counter = counter,
                            .first_item = (uint32_t)units->payload.n,
                            .n_items = header->n_payload,
                            .left_out = header->left_out};
    for (uint32_t i = 0; i < header->n_segments; i++)
        segment_add(units, &segments[i]);
    const struct wire_payload *items = (const struct wire_payload *)(segments + header->n_segments);
    for (uint32_t i = 0; i < header->n_payload; i++)
        *vec_push(&units->payload) = items[i];
    return true;
}

/* ---- the others */

static bool pair_add(struct units *units, const struct wire_pair *pair)
{
    int32_t owner = units_owner(units, pair->exit);
    if (owner == UNIT_NONE)
        return false;
    const struct superblock *superblock = &units->superblocks.at[owner];
    uint32_t j = pair->exit - superblock->first_exit;
    if (j >= superblock->n_segments)
        return false;
    uint8_t end = units->segments.at[superblock->first_segment + j].end;
    if (end != SEGMENT_IJUMP && end != SEGMENT_ICALL)
        return false;
    uint32_t counter = counters_claim(units, pair->counter, 1);
    *vec_push(&units->pairs) =
        (struct pair){.exit = pair->exit,
                      .counter = counter,
                      .target = pair->target,
                      .to = mappings_place(units->mappings, (struct avma){pair->target})};
    return true;
}

bool units_pair_add(struct units *units, uint32_t exit, uint64_t target)
{
    return pair_add(units, &(struct wire_pair){.exit = exit, .target = target});
}

static bool cut_add(struct units *units, const struct wire_cut *cut)
{
    int32_t owner = units_owner(units, cut->first_exit);
    if (owner == UNIT_NONE)
        return false;
    const struct superblock *superblock = &units->superblocks.at[owner];
    if (cut->first_exit != superblock->first_exit || cut->segment >= superblock->n_segments)
        return false;
    const struct unit_segment *segment =
        &units->segments.at[superblock->first_segment + cut->segment];
    if (cut->instructions > segment->instructions)
        return false;
    *vec_push(&units->cuts) = (struct cut){
        .superblock = (uint32_t)owner, .segment = cut->segment, .instructions = cut->instructions};
    return true;
}

static bool path_add(struct units *units, const struct wire_known_path *path)
{
    if (units->numbers || path->ticks > 1 || path->in_node > 1)
        return false;
    *vec_push(&units->paths) = (struct unit_path){
        .path = path->path,
        .function = path->function,
        .counter =
            path->in_node ? path->counter : counters_claim(units, path->counter, 1 + path->ticks),
        .ticks = path->ticks,
        .in_node = path->in_node};
    return true;
}

/* ---- the section */

static bool unit_add(struct units *units, const unsigned char *entry, uint32_t kind, uint32_t bytes)
{
    if (kind == UNIT_SUPERBLOCK && bytes >= sizeof(struct wire_superblock)) {
        struct wire_superblock header;
        memcpy(&header, entry, sizeof header);
        vec_room(&units->entry, bytes / sizeof *units->entry.at + 1);
        memcpy(units->entry.at, entry + sizeof header, bytes - sizeof header);
        header.bytes = bytes; /* the one that was checked */
        return superblock_add(units, &header, units->entry.at);
    }
    if (kind == UNIT_PAIR && bytes == sizeof(struct wire_pair)) {
        struct wire_pair pair;
        memcpy(&pair, entry, sizeof pair);
        return units->numbers || pair_add(units, &pair);
    }
    if (kind == UNIT_CUT && bytes == sizeof(struct wire_cut)) {
        struct wire_cut cut;
        memcpy(&cut, entry, sizeof cut);
        return cut_add(units, &cut);
    }
    if (kind == UNIT_ABANDONED && bytes == sizeof(struct wire_abandoned)) {
        struct wire_abandoned abandoned;
        memcpy(&abandoned, entry, sizeof abandoned);
        *vec_push(&units->abandoned) = mappings_place(units->mappings, (struct avma){abandoned.pc});
        return true;
    }
    if (kind == UNIT_PATH && bytes == sizeof(struct wire_known_path)) {
        struct wire_known_path path;
        memcpy(&path, entry, sizeof path);
        return path_add(units, &path);
    }
    if (kind == UNIT_FUNCTION && bytes == sizeof(struct wire_function)) {
        struct wire_function function;
        memcpy(&function, entry, sizeof function);
        if (function.number != units->functions.n + 1)
            return false;
        *vec_push(&units->functions) = (struct unit_function){
            function.start, mappings_place(units->mappings, (struct avma){function.start})};
        return true;
    }
    return false;
}

bool units_read(struct units *units, const void *section, uint64_t bytes)
{
    const unsigned char *start = section;
    if (bytes > CHANNEL_UNITS_BYTES)
        bytes = CHANNEL_UNITS_BYTES;
    if (bytes > units->bytes_read)
        vec_room(&units->segments,
                 units->segments.n + (bytes - units->bytes_read) / sizeof(struct wire_segment));
    while (!units->broken && units->bytes_read + 8 <= bytes) {
        uint32_t header[2];
        memcpy(header, start + units->bytes_read, sizeof header);
        uint32_t length = header[1];
        if (length < 8 || length % 8 || length > bytes - units->bytes_read) {
            units->broken = true;
            units->garbled++;
            return false;
        }
        units->bytes_read += length;
        if (header[0] == UNIT_MAPS && length == sizeof(struct wire_maps_mark)) {
            memcpy(&units->maps_wanted, start + units->bytes_read - 8, 8);
            return true;
        }
        if (!unit_add(units, start + units->bytes_read - length, header[0], length))
            units->garbled++;
    }
    return false;
}
