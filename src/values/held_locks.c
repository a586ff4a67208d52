#include "values/held_locks.h"

#include "profile/value_kinds.h"
#include "program/insn/decoded.h"

#include <stdlib.h>

/* What an item's instruction can do to a lock, and what it has done before. */
enum {
    ITEM_TAKES = 2,
    ITEM_COUNTS_DOWN = 4, /* takes, if a plain store gives back */
    ITEM_GIVES = 8,
    ITEM_STORES = 16,
    ITEM_DOES = ITEM_TAKES | ITEM_COUNTS_DOWN | ITEM_GIVES | ITEM_STORES,
    ITEM_GAVE = 64,
};
/* What one has done, of these; `certain`: values tell so. */
struct lock_deed {
    uint8_t does;
    bool certain;
    bool from_free; /* the word was 0 */
    bool is_number; /* what it found is no address */
};
enum { ACCESS_WRITE = 2, ACCESS_BOTH = 3 };
/* Who had both ends in a window less often than once in so many that had one is held longer than
 * windows are. */
enum { LONG_PART = 16 };
/* How many instructions of windows are counted: at first, at least, and by how much this changes
 * with a window that is longer. One that is shorter changes it by as much as COUNTED_WINDOWS - 1
 * longer ones, so one in COUNTED_WINDOWS is. */
enum { COUNTED_FIRST = 256, COUNTED_LEAST = 64, COUNTED_WINDOWS = 20 };
static const double COUNTED_MORE = 1.0 / 256;
/* Of superblocks that have none, items are passed over while nothing is held. */
enum { BLOCK_READ = 1, BLOCK_HAS_LOCKS = 2 };

void held_locks_init(struct held_locks *locks, const struct units *units, struct value_lists *lists)
{
    *locks = (struct held_locks){.units = units, .lists = lists, .counted = COUNTED_FIRST};
    map_init(&locks->known, sizeof(uint64_t));
    map_init(&locks->taken, sizeof(uint64_t));
}

void held_locks_release(struct held_locks *locks)
{
    images_release(&locks->images);
    map_release(&locks->known);
    map_release(&locks->taken);
    vec_release(&locks->lengths);
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

static struct lock_item item_read(struct held_locks *locks, const struct unit_segment *segment,
                                  const struct wire_payload *item)
{
    struct decoded decoded;
    if (item->kind != PAYLOAD_ADDRESS || !(item->access & ACCESS_WRITE))
        return (struct lock_item){0};
    if (item->access != ACCESS_BOTH)
        return (struct lock_item){.can = ITEM_STORES};
    const struct image *image =
        images_find(&locks->images, locks->units->mappings, segment->at.module);
    struct svma at = {segment->at.address.v + item->offset};
    if (!image || !decoded_read(image, at, &decoded))
        return (struct lock_item){0};
    return (struct lock_item){in_one_step(&decoded), decoded.instruction.operand_width / 8};
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
        struct lock_item its = item_read(locks, segment, &units->payload.at[item]);
        locks->items.at[item] = its;
        if (its.can & ~ITEM_STORES)
            locks->blocks.at[block] |= BLOCK_HAS_LOCKS;
    }
}

/* ---- how it went */

/* The first word of that kind of the item's instruction, whose address is *words; NULL: that was
 * not recorded. */
static const uint64_t *word_of(const struct wire_payload *item, const struct wire_payload *behind,
                               enum payload_kind kind, const uint64_t *words)
{
    uint16_t instruction = item->instruction;
    for (; item < behind && item->instruction == instruction; words += item++->words)
        if (item->kind == kind)
            return words;
    return NULL;
}

/* What the instruction has done: of ITEM_TAKES, ITEM_COUNTS_DOWN, ITEM_GIVES and ITEM_STORES. */
static struct lock_deed deed_of(const struct lock_item *item, const uint64_t *had,
                                const uint64_t *has)
{
    struct lock_deed deed = {.does = item->can & ITEM_DOES};
    if (!had || !has || item->bytes < 1 || item->bytes > 8)
        return deed;
    uint64_t mask = UINT64_MAX >> (64 - 8 * item->bytes);
    uint64_t before = *had & mask, after = *has & mask;
    deed.certain = true;
    if (!(item->can & ITEM_GIVES)) /* cmpxchg */
        deed.does = before == after ? ITEM_TAKES : 0;
    else
        deed.does = !after && before ? ITEM_TAKES : after && !before ? ITEM_GIVES : 0;
    deed.is_number = after <= UINT32_MAX;
    deed.from_free = deed.does == ITEM_TAKES && !after;
    return deed;
}

static struct lock_deed deed_read(const struct held_locks *locks,
                                  const struct superblock *superblock, uint32_t item,
                                  const uint64_t *words)
{
    const struct wire_payload *its = &locks->units->payload.at[item];
    const struct wire_payload *behind =
        &locks->units->payload.at[superblock->first_item + superblock->n_items];
    const struct lock_item *known = &locks->items.at[item];
    if (!(known->can & ITEM_TAKES))
        return (struct lock_deed){.does = known->can & ITEM_DOES};
    return deed_of(known, word_of(its, behind, PAYLOAD_OPERAND, words),
                   word_of(its, behind, PAYLOAD_RESULT, words));
}

/* ---- sections */

static struct lock_word *word_find(struct held_locks *locks, uint64_t address)
{
    for (uint32_t i = 0; i < locks->n_words; i++)
        if (locks->words[i].address == address)
            return &locks->words[i];
    return NULL;
}

/* One that is not held makes room; if all are, the address is not followed. */
static void word_set(struct held_locks *locks, struct lock_word word)
{
    struct lock_word *known = word_find(locks, word.address);
    if (!known && locks->n_words < LOCKS_WORDS)
        known = &locks->words[locks->n_words++];
    for (uint32_t i = 0; !known && i < LOCKS_WORDS; i++)
        if (!locks->words[i].held)
            known = &locks->words[i];
    if (!known)
        return;
    *known = word;
    locks->n_held = 0;
    for (uint32_t i = 0; i < locks->n_words; i++)
        locks->n_held += locks->words[i].held;
}

static bool gives_back(struct lock_deed deed, const struct lock_item *items,
                       const struct lock_word *word, uint64_t pc)
{
    bool counted = items[word->item].can & ITEM_COUNTS_DOWN;
    return (deed.certain || word->pc != pc) &&
           (deed.does & (counted ? ITEM_STORES : ITEM_STORES | ITEM_GIVES));
}

static bool is_known(const struct held_locks *locks, uint64_t address)
{
    return map_find(&locks->known, &address) != MAP_NONE;
}

static void known_add(struct held_locks *locks, uint64_t address)
{
    if (locks->known.n >= LOCKS_KNOWN || is_known(locks, address))
        return;
    map_add(&locks->known, &address);
    *vec_push(&locks->lengths) = (struct lock_known){0};
}

static void section_add(struct held_locks *locks, struct lock_section section, bool whole)
{
    uint32_t index = map_find(&locks->known, &section.address);
    if (index == MAP_NONE) /* there were too many */
        return;
    *vec_push(&locks->sections) = section;
    locks->lengths.at[index].whole += whole;
    locks->lengths.at[index].cut += !whole;
}

/* Taken in some window, given back in this one. */
static bool gives_what_was_taken(const struct held_locks *locks, struct lock_deed deed,
                                 uint64_t address)
{
    return deed.certain && deed.does == ITEM_GIVES && deed.is_number &&
           map_find(&locks->taken, &address) != MAP_NONE;
}

/* An instruction that writes the address, in the passage that is the last. */
static void item_write(struct held_locks *locks, uint32_t item, uint64_t pc, uint64_t address,
                       struct lock_deed deed)
{
    struct lock_item *items = locks->items.at;
    uint32_t passage = (uint32_t)locks->passages.n - 1;
    struct lock_word *word = word_find(locks, address);
    struct lock_word given = {.address = address, .pc = pc, .item = item};
    if (word && word->held && gives_back(deed, items, word, pc)) {
        items[item].can |= ITEM_GAVE;
        known_add(locks, address);
        section_add(locks, (struct lock_section){address, word->since + 1, passage + 1}, true);
        word_set(locks, given);
        return;
    }
    if (!word && gives_what_was_taken(locks, deed, address)) {
        items[item].can |= ITEM_GAVE;
        known_add(locks, address);
    }
    if (!word && (items[item].can & ITEM_GAVE) && (deed.does & (ITEM_GIVES | ITEM_STORES)) &&
        is_known(locks, address)) {
        section_add(locks, (struct lock_section){address, 0, passage + 1}, false);
        word_set(locks, given);
    } else if (deed.does & (ITEM_TAKES | ITEM_COUNTS_DOWN)) {
        if (deed.from_free && locks->taken.n < LOCKS_KNOWN)
            map_add(&locks->taken, &address);
        word_set(locks, (struct lock_word){address, pc, item, passage, true});
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
            if (locks->items.at[item].can)
                item_write(locks, item, segment->start + its->offset, *words,
                           deed_read(locks, superblock, item, words));
            if (locks->items.at[item].can & ITEM_GAVE)
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
    if (locks->n_held || (locks->blocks.at[block] & BLOCK_HAS_LOCKS))
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
    for (uint32_t i = 0; i < locks->n_words; i++) {
        const struct lock_word *word = &locks->words[i];
        if (word->held)
            section_add(
                locks,
                (struct lock_section){word->address, word->since + 1, (uint32_t)locks->passages.n},
                false);
    }
    if (locks->sections.n)
        qsort(locks->sections.at, locks->sections.n, sizeof *locks->sections.at, by_first);
    for (size_t i = 0; i < locks->sections.n; i++)
        for (uint32_t k = locks->sections.at[i].first; k < locks->sections.at[i].behind; k++)
            locks->passages.at[k].lock = locks->sections.at[i].address;
}

/* Of windows that see neither end of such a lock it cannot be told whether it was held. */
static bool is_long(const struct held_locks *locks, uint32_t lock)
{
    const struct lock_known *length = &locks->lengths.at[lock];
    return LONG_PART * length->whole < length->cut;
}

static bool in_window(struct held_locks *locks, uint32_t lock)
{
    return word_find(locks, *(const uint64_t *)map_key(&locks->known, lock));
}

static void passage_see(struct held_locks *locks, const struct lock_passage *passage,
                        uint32_t weight)
{
    struct lock_segment *segment = &locks->segments.at[passage->segment];
    struct place at = locks->units->segments.at[passage->segment].at;
    if (at.module == MODULE_NONE)
        return;
    if (!segment->place && !passage->lock) {
        segment->unheld += weight;
        return;
    }
    if (passage->lock)
        segment->lock = map_find(&locks->known, &passage->lock);
    bool unclear = is_long(locks, segment->lock);
    if (!passage->lock && unclear && !in_window(locks, segment->lock))
        return;
    if (!segment->place) {
        segment->place = 1 + value_lists_place(locks->lists, at, VALUE_OF_LOCK);
        if (segment->unheld && !unclear)
            value_lists_see(locks->lists, segment->place - 1, 0, segment->unheld);
    }
    value_lists_see(locks->lists, segment->place - 1, passage->lock, weight);
}

/* The first passages of the window, as far as they are counted. */
static void passages_see(struct held_locks *locks, uint32_t weight)
{
    double instructions = 0;
    for (size_t i = 0; i < locks->passages.n; i++) {
        const struct lock_passage *passage = &locks->passages.at[i];
        if (instructions < locks->counted)
            passage_see(locks, passage, weight);
        instructions += locks->units->segments.at[passage->segment].instructions;
    }
    locks->counted *=
        instructions < locks->counted ? 1 - COUNTED_MORE * (COUNTED_WINDOWS - 1) : 1 + COUNTED_MORE;
    if (locks->counted < COUNTED_LEAST)
        locks->counted = COUNTED_LEAST;
}

void held_locks_window(struct held_locks *locks, const struct payload_window *window,
                       uint32_t weight)
{
    const uint64_t *words = window->words;
    if (!locks->on)
        return;
    while (locks->items.n < locks->units->payload.n)
        *vec_push(&locks->items) = (struct lock_item){0};
    while (locks->blocks.n < locks->units->superblocks.n)
        *vec_push(&locks->blocks) = 0;
    while (locks->segments.n < locks->units->segments.n)
        *vec_push(&locks->segments) = (struct lock_segment){0};
    locks->passages.n = locks->sections.n = 0;
    locks->n_words = locks->n_held = 0;
    for (uint32_t i = 0; i < window->n_exits; i++)
        exit_read(locks, window->exits[i], &words);
    sections_lay(locks);
    passages_see(locks, weight);
}
