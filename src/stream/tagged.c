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
    if (tagged->choices.real_quotient)
        return entry->misses * entry->hits >= tagged->threshold;
    /* misses >= threshold / hits, rounded down, without a division. */
    return (entry->misses + 1) * entry->hits > (int)tagged->threshold;
}

/* All at once: what comes cannot be guessed, and a branch that was costs more than all of it. */
static bool should_replace(const struct tagged_entry *entry)
{
    return (entry->misses != 0) & ((entry->misses == TAGGED_MISSES_MAX) | (entry->hits <= 1) |
                                   (entry->hits < 2 * entry->misses));
}

/* Hits that do not fit are lost: an entry holds less than it tells at once. */
static uint16_t at_most(const struct tagged *tagged, uint32_t hits)
{
    return (uint16_t)(hits < tagged->threshold ? hits : tagged->threshold - 1);
}

/* The entry's own tuple: what is told of it, or 0. */
static uint64_t entry_hit(const struct tagged *tagged, struct tagged_entry *entry)
{
    if (__builtin_expect(entry->misses && should_evict(tagged, entry), 0)) {
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

static void entry_miss(const struct tagged *tagged, struct tagged_entry *entry, uint16_t tag)
{
    bool replaces = should_replace(entry);
    uint32_t hits = (uint32_t)entry->hits + entry->misses + !tagged->choices.taken_without;
    entry->hits = replaces ? at_most(tagged, hits) : entry->hits;
    entry->misses = replaces ? 0 : (uint16_t)(entry->misses + 1);
    entry->tag = replaces ? tag : entry->tag;
}

static void entry_begin(const struct tagged *tagged, struct tagged_entry *entry, uint16_t tag)
{
    uint32_t hits = (uint32_t)entry->hits + !tagged->choices.begins_at_0;
    *entry = (struct tagged_entry){.hits = at_most(tagged, hits), .tag = tag};
}

__attribute__((always_inline)) static inline uint64_t
set_take(const struct tagged *tagged, struct tagged_entry *set, uint16_t tag, uint32_t ways)
{
    struct tagged_entry *empty = NULL, *fewest = set, *own = NULL;
    /* Which way it is cannot be guessed: no branch asks. */
    for (struct tagged_entry *entry = set; entry < set + ways; entry++)
        own = entry->tag == tag ? entry : own;
    if (own)
        return entry_hit(tagged, own);
    for (struct tagged_entry *entry = set + ways; entry-- > set;) {
        empty = entry->tag ? empty : entry;
        fewest = entry->hits <= fewest->hits ? entry : fewest;
    }
    if (empty)
        entry_begin(tagged, empty, tag);
    else
        entry_miss(tagged, fewest, tag);
    return 0;
}

/* Where tuples go is worked out for some of them before they go there: what a branch that was guessed wrong throws away is little then. */
enum { AHEAD = 16 };
struct going {
    uint32_t set[AHEAD];
    uint16_t tag[AHEAD];
};

__attribute__((always_inline)) static inline void going_make(struct going *going,
                                                             const struct tagged *tagged,
                                                             const struct tuple *tuples, size_t n,
                                                             uint32_t tag_bits, bool paper)
{
    for (size_t i = 0; i < n; i++) {
        const struct tuple *tuple = &tuples[i];
        going->tag[i] = (uint16_t)(1 + hash_fold(tuple->place ^ tuple->value, tag_bits));
        going->set[i] =
            paper ? hash_index(&tagged->hash, tuple) : hash_fast(tuple, tagged->hash.bits);
    }
}

/* Inlined for each number of ways, of bits and each hash: the loops must not ask. */
__attribute__((always_inline)) static inline size_t take(struct tagged *tagged,
                                                         const struct tuple *tuples, size_t n,
                                                         struct message *messages, uint32_t ways,
                                                         uint32_t tag_bits, bool paper)
{
    struct going going;
    size_t made = 0;
    for (size_t at = 0; at < n; at += AHEAD) {
        size_t some = n - at < AHEAD ? n - at : AHEAD;
        going_make(&going, tagged, &tuples[at], some, tag_bits, paper);
        for (size_t i = 0; i < some; i++) {
            uint64_t count =
                set_take(tagged, &tagged->entries[going.set[i] * ways], going.tag[i], ways);
            if (count)
                messages[made++] = (struct message){tuples[at + i], count};
        }
    }
    return made;
}

size_t tagged_take(struct tagged *tagged, const struct tuple *tuples, size_t n,
                   struct message *messages)
{
    if (!tagged->hash.bits || tagged->hash.paper)
        return take(tagged, tuples, n, messages, tagged->ways, tagged->tag_bits, true);
    if (tagged->ways == 2 && tagged->tag_bits == 2)
        return take(tagged, tuples, n, messages, 2, 2, false);
    return take(tagged, tuples, n, messages, tagged->ways, tagged->tag_bits, false);
}

uint64_t tagged_held(const struct tagged *tagged)
{
    uint64_t held = 0;
    for (size_t i = 0; i < (size_t)tagged->ways << tagged->hash.bits; i++)
        held += (uint64_t)tagged->entries[i].hits + tagged->entries[i].misses;
    return held;
}
