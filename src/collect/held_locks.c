#include "collect/held_locks.h"

#include "profile/value_kinds.h"
#include "program/decoded.h"

#include <stdlib.h>

/* What an item's instruction can do to a lock, and what it has done before. */
enum {
    ITEM_TAKES = 2,
    ITEM_COUNTS_DOWN = 4, /* takes, if a plain store gives back */
    ITEM_GIVES = 8,
    ITEM_STORES = 16,
    ITEM_TOOK = 32,
    ITEM_GAVE = 64,
};
enum { ACCESS_WRITE = 2, ACCESS_BOTH = 3 };
/* Of superblocks that have none, items are passed over while nothing is held. */
enum { BLOCK_READ = 1, BLOCK_HAS_LOCKS = 2 };

void held_locks_init(struct held_locks *locks, const struct units *units, struct value_lists *lists)
{
    *locks = (struct held_locks){.units = units, .lists = lists};
    map_init(&locks->known, sizeof(uint64_t));
}

void held_locks_release(struct held_locks *locks)
{
    images_release(&locks->images);
    map_release(&locks->known);
    vec_release(&locks->items);
    vec_release(&locks->blocks);
    vec_release(&locks->segments);
    vec_release(&locks->passages);
    vec_release(&locks->sections);
}

/* ---- instructions */

static uint8_t in_one_step(const struct decoded *decoded)
{
    const ZydisDecodedInstruction *instruction = &decoded->instruction;
    if (instruction->mnemonic == ZYDIS_MNEMONIC_XCHG)
        return ITEM_TAKES | ITEM_GIVES;
    if (!(instruction->attributes & ZYDIS_ATTRIB_HAS_LOCK))
        return 0;
    switch (instruction->mnemonic) {
    case ZYDIS_MNEMONIC_CMPXCHG:
    case ZYDIS_MNEMONIC_BTS: return ITEM_TAKES;
    case ZYDIS_MNEMONIC_DEC: return ITEM_COUNTS_DOWN | ITEM_GIVES;
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_XADD:
    case ZYDIS_MNEMONIC_BTR: return ITEM_GIVES;
    default: return 0;
    }
}

static uint8_t item_read(struct held_locks *locks, const struct unit_segment *segment,
                         const struct wire_payload *item)
{
    struct decoded decoded;
    if (item->kind != PAYLOAD_ADDRESS || !(item->access & ACCESS_WRITE))
        return 0;
    if (item->access != ACCESS_BOTH)
        return ITEM_STORES;
    const struct image *image =
        images_find(&locks->images, locks->units->mappings, segment->at.module);
    struct svma at = {segment->at.address.v + item->offset};
    if (!image || !decoded_read(image, at, &decoded))
        return 0;
    return in_one_step(&decoded);
}

/* All items of a superblock, when it is first met. */
static void block_read(struct held_locks *locks, uint32_t block)
{
    const struct units *units = locks->units;
    const struct superblock *superblock = &units->superblocks.at[block];
    const struct unit_segment *segment = &units->segments.at[superblock->first_segment];
    uint32_t before = 0;
    locks->blocks.at[block] = BLOCK_READ;
    for (uint32_t i = 0; i < superblock->n_items; i++) {
        uint32_t item = superblock->first_item + i;
        while (units->payload.at[item].instruction >= before + segment->instructions)
            before += segment++->instructions;
        uint8_t can = item_read(locks, segment, &units->payload.at[item]);
        locks->items.at[item] = can;
        if (can & ~ITEM_STORES)
            locks->blocks.at[block] |= BLOCK_HAS_LOCKS;
    }
}

/* ---- sections */

static struct lock_pending *pending_find(struct held_locks *locks, uint64_t address)
{
    for (uint32_t i = 0; i < locks->n_pending; i++)
        if (locks->pending[i].address == address)
            return &locks->pending[i];
    return NULL;
}

static void pending_remove(struct held_locks *locks, struct lock_pending *pending)
{
    *pending = locks->pending[--locks->n_pending];
}

static void pending_add(struct held_locks *locks, struct lock_pending pending)
{
    struct lock_pending *known = pending_find(locks, pending.address);
    if (known)
        *known = pending;
    else if (locks->n_pending < LOCKS_PENDING)
        locks->pending[locks->n_pending++] = pending;
}

static bool gives_back(uint8_t can, const uint8_t *items, const struct lock_pending *pending,
                       uint64_t pc)
{
    bool counted = items[pending->item] & ITEM_COUNTS_DOWN;
    return pending->pc != pc && (can & (counted ? ITEM_STORES : ITEM_STORES | ITEM_GIVES));
}

static bool is_known(const struct held_locks *locks, uint64_t address)
{
    return map_find(&locks->known, &address) != MAP_NONE;
}

/* An instruction that writes the address, in the passage that is the last. */
static void item_write(struct held_locks *locks, uint32_t item, uint64_t pc, uint64_t address)
{
    uint8_t *items = locks->items.at, can = items[item];
    uint32_t passage = (uint32_t)locks->passages.n - 1;
    struct lock_pending *pending = pending_find(locks, address);
    if (pending && gives_back(can, items, pending, pc)) {
        *vec_push(&locks->sections) =
            (struct lock_section){address, pending->since + 1, passage + 1};
        items[pending->item] |= ITEM_TOOK;
        items[item] |= ITEM_GAVE;
        if (locks->known.n < LOCKS_KNOWN)
            map_add(&locks->known, &address);
        pending_remove(locks, pending);
    } else if (!pending && (can & ITEM_GAVE) && is_known(locks, address)) {
        *vec_push(&locks->sections) = (struct lock_section){address, 0, passage + 1};
    } else if (can & (ITEM_TAKES | ITEM_COUNTS_DOWN)) {
        pending_add(locks, (struct lock_pending){address, pc, item, passage});
    }
}

static void items_read(struct held_locks *locks, uint32_t block, uint32_t last,
                       const uint64_t *words)
{
    const struct units *units = locks->units;
    const struct superblock *superblock = &units->superblocks.at[block];
    uint32_t item = superblock->first_item, behind = item + superblock->n_items, before = 0;
    for (uint32_t s = 0; s <= last; s++) {
        const struct unit_segment *segment = &units->segments.at[superblock->first_segment + s];
        *vec_push(&locks->passages) = (struct lock_passage){superblock->first_segment + s, 0};
        before += segment->instructions;
        for (; item < behind && units->payload.at[item].instruction < before; item++) {
            const struct wire_payload *its = &units->payload.at[item];
            if (locks->items.at[item])
                item_write(locks, item, segment->start + its->offset, *words);
            if (locks->items.at[item] & ITEM_GAVE)
                locks->blocks.at[block] |= BLOCK_HAS_LOCKS;
            words += its->words;
        }
    }
}

static void exit_read(struct held_locks *locks, uint32_t exit, const uint64_t **words)
{
    const struct units *units = locks->units;
    uint32_t block = (uint32_t)units_owner(units, exit);
    const struct superblock *superblock = &units->superblocks.at[block];
    uint32_t last = superblock_last_segment(superblock, exit - superblock->first_exit);
    if (!locks->blocks.at[block])
        block_read(locks, block);
    if (locks->n_pending || (locks->blocks.at[block] & BLOCK_HAS_LOCKS))
        items_read(locks, block, last, *words);
    else
        for (uint32_t s = 0; s <= last; s++)
            *vec_push(&locks->passages) = (struct lock_passage){superblock->first_segment + s, 0};
    *words += locks->lists->places.parts.at[exit].part.words;
}

/* ---- a window */

static int by_first(const void *a, const void *b)
{
    const struct lock_section *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->behind > y->behind ? -1 : x->behind < y->behind;
}

/* What is taken last is what counts: sections that begin later are laid over those before. */
static void sections_lay(struct held_locks *locks)
{
    for (uint32_t i = 0; i < locks->n_pending; i++) {
        const struct lock_pending *pending = &locks->pending[i];
        if ((locks->items.at[pending->item] & ITEM_TOOK) && is_known(locks, pending->address))
            *vec_push(&locks->sections) = (struct lock_section){
                pending->address, pending->since + 1, (uint32_t)locks->passages.n};
    }
    if (locks->sections.n)
        qsort(locks->sections.at, locks->sections.n, sizeof *locks->sections.at, by_first);
    for (size_t i = 0; i < locks->sections.n; i++)
        for (uint32_t k = locks->sections.at[i].first; k < locks->sections.at[i].behind; k++)
            locks->passages.at[k].lock = locks->sections.at[i].address;
}

static void passage_see(struct held_locks *locks, const struct lock_passage *passage)
{
    struct lock_segment *segment = &locks->segments.at[passage->segment];
    struct place at = locks->units->segments.at[passage->segment].at;
    uint32_t weight = locks->lists->weight;
    if (at.module == MODULE_NONE)
        return;
    if (!segment->place && !passage->lock) {
        segment->unheld += weight;
        return;
    }
    if (!segment->place) {
        segment->place = 1 + value_lists_place(locks->lists, at, VALUE_OF_LOCK);
        if (segment->unheld)
            value_lists_see(locks->lists, segment->place - 1, 0, segment->unheld);
    }
    value_lists_see(locks->lists, segment->place - 1, passage->lock, weight);
}

void held_locks_window(struct held_locks *locks, const struct payload_window *window)
{
    const uint64_t *words = window->words;
    if (!locks->on)
        return;
    while (locks->items.n < locks->units->payload.n)
        *vec_push(&locks->items) = 0;
    while (locks->blocks.n < locks->units->superblocks.n)
        *vec_push(&locks->blocks) = 0;
    while (locks->segments.n < locks->units->segments.n)
        *vec_push(&locks->segments) = (struct lock_segment){0};
    locks->passages.n = locks->sections.n = 0;
    locks->n_pending = 0;
    for (uint32_t i = 0; i < window->n_exits; i++)
        exit_read(locks, window->exits[i], &words);
    sections_lay(locks);
    for (size_t i = 0; i < locks->passages.n; i++)
        passage_see(locks, &locks->passages.at[i]);
}
