#include "waste/waste_blocks.h"

void waste_blocks_init(struct waste_blocks *blocks, const struct units *units)
{
    *blocks = (struct waste_blocks){.units = units};
    map_init(&blocks->places, sizeof(uint64_t[2]));
}

void waste_blocks_release(struct waste_blocks *blocks)
{
    images_release(&blocks->images);
    vec_release(&blocks->code);
    map_release(&blocks->places);
    vec_release(&blocks->looked);
    vec_release(&blocks->met);
    vec_release(&blocks->first);
}

static bool is_address(const struct wire_payload *item)
{
    return item->kind <= PAYLOAD_DESTINATION;
}

/* An access whose address is not among the items makes the instruction a barrier. */
static void accesses_check(struct waste_code *code, const struct wire_payload *items, uint32_t n)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < n; i++)
        known += is_address(&items[i]);
    if (known != code->accesses)
        code->flags |= WASTE_BARRIER;
}

/* The number of a place, whose instruction is read when it is new. */
static uint32_t place_of(struct waste_blocks *blocks, const struct image *image, struct place at)
{
    uint64_t key[] = {at.module, at.address.v};
    uint32_t index = map_add(&blocks->places, key);
    if (index == blocks->looked.n) {
        struct waste_looked *looked = vec_push(&blocks->looked);
        *looked = (struct waste_looked){0};
        if (!image || !waste_code_read(image, at.address, &looked->code))
            looked->code.length = 0;
    }
    return index;
}

static bool segment_read(struct waste_blocks *blocks, const struct unit_segment *segment,
                         const struct wire_payload *items, uint32_t n_items, uint32_t first)
{
    const struct image *image =
        images_find(&blocks->images, blocks->units->mappings, segment->at.module);
    uint64_t address = segment->at.address.v;
    uint32_t item = 0;
    for (uint32_t i = 0; i < segment->instructions; i++) {
        struct place at = {segment->at.module, {address}};
        uint32_t place = place_of(blocks, image, at);
        struct waste_code code = blocks->looked.at[place].code;
        if (!code.length)
            return false;
        while (item < n_items && items[item].instruction < first + i)
            item++;
        uint32_t n = 0;
        while (item + n < n_items && items[item + n].instruction == first + i)
            n++;
        accesses_check(&code, &items[item], n);
        *vec_push(&blocks->code) =
            (struct waste_instruction){.code = code, .at = at, .place = place};
        address += code.length;
    }
    return address == segment->at.address.v + segment->bytes; /* else the file is not what ran */
}

static uint32_t block_read(struct waste_blocks *blocks, uint32_t index)
{
    const struct superblock *superblock = &blocks->units->superblocks.at[index];
    const struct wire_payload *items =
        superblock->n_items ? &blocks->units->payload.at[superblock->first_item] : NULL;
    size_t first = blocks->code.n;
    uint32_t before = 0;
    for (uint32_t s = 0; s < superblock->n_segments; s++) {
        const struct unit_segment *segment =
            &blocks->units->segments.at[superblock->first_segment + s];
        if (!segment_read(blocks, segment, items, superblock->n_items, before)) {
            blocks->code.n = first;
            return WASTE_UNREADABLE;
        }
        before += segment->instructions;
    }
    return (uint32_t)first;
}

uint32_t waste_block(struct waste_blocks *blocks, uint32_t superblock)
{
    while (blocks->first.n < blocks->units->superblocks.n)
        *vec_push(&blocks->first) = 0;
    if (!blocks->first.at[superblock])
        blocks->first.at[superblock] = block_read(blocks, superblock) + 1;
    return blocks->first.at[superblock] - 1;
}
