#include "stream/tagged.h"

void tagged_init(struct tagged *tagged, uint32_t bits, uint32_t ways, uint32_t tag_bits,
                 uint32_t threshold, const struct tagged_choices *choices, bool paper,
                 uint64_t seed)
{
    hash_init(&tagged->hash, bits, paper, seed);
    tagged->choices = *choices;
    tagged->tag_bits = tag_bits;
    tagged->threshold = threshold;
    tagged->ways = ways;
    for (size_t i = 0; i < (size_t)ways << bits; i++)
        tagged->entries[i] = (struct tagged_entry){0};
}

/* Enough hits that telling of the tuple is worth a message, and misses enough that the entry is wanted. */
static bool should_evict(const struct tagged *tagged, const struct tagged_entry *entry)
{
    if (entry->hits < tagged->threshold / 4)
        return false;
    return tagged->choices.real_quotient ? entry->misses * entry->hits >= tagged->threshold
                                         : entry->misses >= tagged->threshold / entry->hits;
}

static bool should_replace(const struct tagged_entry *entry)
{
    return entry->misses == TAGGED_MISSES_MAX || entry->hits <= 1 ||
           entry->hits < 2 * entry->misses;
}

/* Hits that do not fit are lost: an entry holds less than it tells at once. */
static uint16_t at_most(const struct tagged *tagged, uint32_t hits)
{
    return (uint16_t)(hits < tagged->threshold ? hits : tagged->threshold - 1);
}

/* The entry's own tuple: what is told of it, or 0. */
static uint64_t entry_hit(const struct tagged *tagged, struct tagged_entry *entry)
{
    if (entry->misses && should_evict(tagged, entry)) {
        uint64_t told = entry->hits + !tagged->choices.told_without;
        /* Who comes next takes over what the others have waited for. */
        *entry = (struct tagged_entry){.hits = entry->misses};
        return told;
    }
    if (++entry->hits < tagged->threshold)
        return 0;
    *entry = (struct tagged_entry){.hits = entry->misses};
    return tagged->threshold;
}

static void entry_miss(const struct tagged *tagged, struct tagged_entry *entry, uint8_t tag)
{
    if (!entry->misses || !should_replace(entry)) {
        entry->misses++;
        return;
    }
    uint32_t hits = (uint32_t)entry->hits + entry->misses + !tagged->choices.taken_without;
    *entry = (struct tagged_entry){.hits = at_most(tagged, hits), .tag = tag, .used = true};
}

static void entry_begin(const struct tagged *tagged, struct tagged_entry *entry, uint8_t tag)
{
    uint32_t hits = (uint32_t)entry->hits + !tagged->choices.begins_at_0;
    *entry = (struct tagged_entry){.hits = at_most(tagged, hits), .tag = tag, .used = true};
}

/* Inlined for each number of ways and each hash: the loops must not ask. */
__attribute__((always_inline)) static inline uint64_t
set_take(const struct tagged *tagged, struct tagged_entry *set, uint8_t tag, uint32_t ways)
{
    struct tagged_entry *empty = NULL, *fewest = set;
    for (struct tagged_entry *entry = set; entry < set + ways; entry++)
        if (entry->used && entry->tag == tag)
            return entry_hit(tagged, entry);
    for (struct tagged_entry *entry = set + ways; entry-- > set;) {
        empty = entry->used ? empty : entry;
        fewest = entry->hits <= fewest->hits ? entry : fewest;
    }
    if (empty)
        entry_begin(tagged, empty, tag);
    else
        entry_miss(tagged, fewest, tag);
    return 0;
}

__attribute__((always_inline)) static inline size_t take(struct tagged *tagged,
                                                         const struct tuple *tuples, size_t n,
                                                         struct message *messages, uint32_t ways,
                                                         bool paper)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tuple *tuple = &tuples[i];
        uint8_t tag = (uint8_t)hash_fold(tuple->place ^ tuple->value, tagged->tag_bits);
        uint32_t index =
            paper ? hash_paper(&tagged->hash, tuple) : hash_fast(tuple, tagged->hash.bits);
        uint64_t count = set_take(tagged, &tagged->entries[index * ways], tag, ways);
        if (count)
            messages[made++] = (struct message){*tuple, count};
    }
    return made;
}

size_t tagged_take(struct tagged *tagged, const struct tuple *tuples, size_t n,
                   struct message *messages)
{
    if (!tagged->hash.bits || tagged->hash.paper)
        return take(tagged, tuples, n, messages, tagged->ways, true);
    if (tagged->ways == 2)
        return take(tagged, tuples, n, messages, 2, false);
    return take(tagged, tuples, n, messages, tagged->ways, false);
}

uint64_t tagged_held(const struct tagged *tagged)
{
    uint64_t held = 0;
    for (size_t i = 0; i < (size_t)tagged->ways << tagged->hash.bits; i++)
        held += (uint64_t)tagged->entries[i].hits + tagged->entries[i].misses;
    return held;
}
