#include "compress/tagged.h"

static const tagged_entry free_entry = TAGGED_FREE << TAGGED_MISSES_SHIFT;

/* An entry that somebody else wants is told of when its owner comes and its hits and misses are
 * worth a message: from how many hits on. */
static uint32_t evicted_from(const struct tagged *tagged, uint32_t misses)
{
    uint32_t threshold = tagged->threshold;
    /* misses >= threshold / hits, which is rounded down unless it is to be real. */
    uint32_t hits = tagged->choices.real_quotient ? (threshold + misses - 1) / misses
                                                  : threshold / (misses + 1) + 1;
    return hits < threshold / 4 ? threshold / 4 : hits;
}

/* Somebody else takes the entry if its hits are fewer. */
static uint32_t kept_from(uint32_t misses)
{
    return misses == TAGGED_MISSES_MAX ? UINT32_MAX : 2 * misses;
}

void tagged_init(struct tagged *tagged, uint32_t bits, uint32_t ways, uint32_t tag_bits,
                 uint32_t threshold, const struct tagged_choices *choices, bool paper,
                 uint64_t seed)
{
    hash_init(&tagged->hash, bits, paper, seed);
    tagged->choices = *choices;
    tagged->tag_bits = tag_bits;
    tagged->threshold = threshold;
    tagged->ways = ways;
    for (uint32_t misses = 0; misses <= TAGGED_MISSES_MAX; misses++) {
        uint32_t full = threshold - 1, worth = misses ? evicted_from(tagged, misses) : full;
        tagged->told_from[misses] = worth < full ? worth : full;
        tagged->kept_from[misses] = kept_from(misses);
        tagged->added[misses] = misses + !choices->taken_without;
    }
    tagged->kept_from[TAGGED_FREE] = UINT32_MAX;
    tagged->added[TAGGED_FREE] = !choices->begins_at_0;
    for (size_t i = 0; i < (size_t)ways << bits; i++)
        tagged->entries[i] = free_entry;
}

/* What is told of the owner; who comes next takes over what the others have waited for. */
static uint64_t entry_tell(const struct tagged *tagged, tagged_entry *entry)
{
    uint32_t hits = tagged_hits(*entry), misses = tagged_misses(*entry);
    *entry = free_entry | misses << TAGGED_HITS_SHIFT;
    bool evicted = misses && hits >= evicted_from(tagged, misses);
    return hits + !(evicted && tagged->choices.told_without);
}

/* Who comes cannot be guessed, and a branch that was guessed wrong costs more than all that is done
 * for a tuple: answers are masks. */
static inline uint32_t all_ones(bool if_so)
{
    return 0 - (uint32_t)if_so;
}

/* The owner comes before a free entry, and that before the one with the fewest hits. */
__attribute__((always_inline)) static inline uint32_t entry_rank(tagged_entry entry, uint32_t tag)
{
    uint32_t is = entry & TAGGED_TAG_MASK, rank = is ? tagged_hits(entry) + 2 : 1;
    return rank & all_ones(is != tag);
}

/* What becomes of an entry when somebody comes who is not to be told of; `other`: all ones if he
 * does not own it. What of its hits does not fit is lost: it holds less than it tells at once. */
__attribute__((always_inline)) static inline tagged_entry
entry_next(const struct tagged *tagged, tagged_entry entry, uint32_t tag, uint32_t other)
{
    uint32_t hits = tagged_hits(entry), state = tagged_state(entry);
    uint32_t sum = hits + tagged->added[state], most = tagged->threshold - 1;
    tagged_entry taken = (sum < most ? sum : most) << TAGGED_HITS_SHIFT | tag;
    tagged_entry kept =
        entry + (other & 1 << TAGGED_MISSES_SHIFT) + (~other & 1 << TAGGED_HITS_SHIFT);
    return hits < (tagged->kept_from[state] & other) ? taken : kept;
}

__attribute__((always_inline)) static inline uint64_t
set_take(const struct tagged *tagged, tagged_entry *set, uint32_t tag, uint32_t ways)
{
    uint32_t way = 0, rank = entry_rank(set[0], tag);
    for (uint32_t i = 1; i < ways; i++) {
        uint32_t next = entry_rank(set[i], tag);
        way = next < rank ? i : way;
        rank = next < rank ? next : rank;
    }
    tagged_entry entry = set[way];
    uint32_t other = all_ones(rank);
    if (__builtin_expect(tagged_hits(entry) >= (tagged->told_from[tagged_state(entry)] | other), 0))
        return entry_tell(tagged, &set[way]);
    set[way] = entry_next(tagged, entry, tag, other);
    return 0;
}

/* Inlined for each number of ways, of bits and each hash: the loop must not ask. */
__attribute__((always_inline)) static inline size_t take(struct tagged *tagged,
                                                         const struct tuple *tuples, size_t n,
                                                         struct message *messages, uint32_t ways,
                                                         uint32_t tag_bits, bool paper)
{
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tuple *tuple = &tuples[i];
        uint32_t tag = 1 + hash_fold(tuple->place ^ tuple->value, tag_bits);
        uint32_t set =
            paper ? hash_index(&tagged->hash, tuple) : hash_fast(tuple, tagged->hash.bits);
        uint64_t count = set_take(tagged, &tagged->entries[set * ways], tag, ways);
        if (__builtin_expect(count != 0, 0))
            messages[made++] = (struct message){*tuple, count};
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
        held += tagged_hits(tagged->entries[i]) + tagged_misses(tagged->entries[i]);
    return held;
}
