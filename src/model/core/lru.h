/* A set-associative cache of numbers (lines, pages) that forgets the least recently used of a set.
 * Of each it keeps when it arrives, and a name: the page by which it was last asked for.
 *
 * Numbers and uses are apart from the rest: a set of them is a line or two of the machine that
 * models it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lru_entry {
    uint64_t arrives;
    uint32_t name;
    bool renamed; /* it has had another name */
};

enum { LRU_PART = 64 };

struct lru {
    uint64_t *numbers; /* + 1, set by set; 0 is free; NULL: it holds nothing */
    uint32_t *used;    /* the clock of the last use */
    struct lru_entry *entries;
    bool *touched; /* of each LRU_PART sets: something was put there; a copy leaves out the rest */
    uint32_t sets, ways; /* sets: a power of two */
    uint32_t clock;
};

/* At least so many entries of so many ways; 0: none. */
void lru_init(struct lru *lru, uint64_t entries, uint32_t ways);
void lru_release(struct lru *lru);
/* Both were made with the same sizes. */
void lru_copy(struct lru *to, const struct lru *from);

/* NULL: not there. The entry is good until the next put. */
struct lru_entry *lru_find(struct lru *lru, uint64_t number);
/* Puts it there, where it was not; NULL if the cache holds nothing. */
struct lru_entry *lru_put(struct lru *lru, uint64_t number, uint64_t arrives);
/* What a put of that number would push out, if anything. */
bool lru_victim(const struct lru *lru, uint64_t number, uint64_t *ret);
/* It is not there any more. */
void lru_drop(struct lru *lru, uint64_t number);
