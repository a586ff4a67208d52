/* Windows that wait until there are enough of them: then the values of a place are counted
 * together.
 *
 * Window by window, each value belongs to another place, whose counts are in no cache: 40 ns for
 * each value. By superblock and item, a place is fetched once for all its values. Within an item
 * values stay in order; between places they do not.
 *
 * A loop runs its superblocks hundreds of times in a window, with correlated values. Of more than
 * VALUE_CHUNK_VISITS about that many are drawn at random, each of which stands for those that were
 * skipped. */
#pragma once

#include "base/vec.h"
#include "values/value_places.h"
#include "compress/random.h"

enum { VALUE_CHUNK_WINDOWS = 64, VALUE_CHUNK_WORDS = 1 << 18, VALUE_CHUNK_VISITS = 8 };

/* A passage through a superblock. */
struct value_visit {
    uint32_t words; /* first word in the chunk */
    uint32_t next;  /* visit of the same superblock; VALUE_PLACE_NONE: none */
    uint32_t weight;
    uint16_t n_items;
    uint16_t window; /* of the chunk, from 0 */
};

/* Visits of a superblock. */
struct value_chain {
    uint32_t first, last;
    uint32_t passed; /* in this window */
};

struct value_chunk {
    struct random random;
    struct {
        VEC(uint64_t);
    } words;
    struct value_visits {
        VEC(struct value_visit);
    } visits, together; /* all; scratch: those of one superblock */
    struct {
        VEC(struct value_chain);
    } chains; /* by superblock */
    struct {
        VEC(uint32_t);
    } superblocks; /* with visits */
};

void value_chunk_release(struct value_chunk *chunk);
/* Adds a window that value_places_admit has admitted. `each` has its weight and window. */
void value_chunk_add(struct value_chunk *chunk, struct value_places *places,
                     const struct payload_window *window, const struct value_visit *each);
bool value_chunk_is_full(const struct value_chunk *chunk);

/* Values of one item: in each of n visits, `at` words after its first. */
struct value_column {
    const uint64_t *words;
    const struct value_visit *visits;
    size_t n;
    uint32_t at;
};
typedef void value_column_see(void *to, uint32_t place, const struct value_column *column);
/* Hands over all values and clears the chunk. */
void value_chunk_take(struct value_chunk *chunk, struct value_places *places, value_column_see *see,
                      void *to);
