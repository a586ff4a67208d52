/* Windows whose values wait to be counted, until there are enough of them: then the values of a
 * place lie together.
 *
 * Window by window each value is of another place, and where that counts its values is in no cache:
 * 40 ns for each. By superblock, and by item of it, a place is fetched once for all its values.
 * Within an item they come in the order in which they were seen; between places there is none.
 *
 * A loop passes its superblocks hundreds of times in a window, with values that have much to do
 * with each other: of more than VALUE_CHUNK_VISITS some are drawn, about as many as that, each of
 * which stands for as many as were passed over. */
#pragma once

#include "base/vec.h"
#include "values/value_places.h"
#include "compress/random.h"

enum { VALUE_CHUNK_WINDOWS = 64, VALUE_CHUNK_WORDS = 1 << 18, VALUE_CHUNK_VISITS = 8 };

/* A passage through a superblock. */
struct value_visit {
    uint32_t words; /* where they begin, in the chunk's */
    uint32_t next;  /* of the same superblock; VALUE_PLACE_NONE: none */
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
    } visits, together; /* all; those of one superblock */
    struct {
        VEC(struct value_chain);
    } chains; /* by superblock */
    struct {
        VEC(uint32_t);
    } superblocks; /* that have visits */
};

void value_chunk_release(struct value_chunk *chunk);
/* A window that value_places_admit has admitted; weight and window are those of `each`. */
void value_chunk_add(struct value_chunk *chunk, struct value_places *places,
                     const struct payload_window *window, const struct value_visit *each);
bool value_chunk_is_full(const struct value_chunk *chunk);

/* Values of one item, in the words of so many visits, `at` words behind where theirs begin. */
struct value_column {
    const uint64_t *words;
    const struct value_visit *visits;
    size_t n;
    uint32_t at;
};
typedef void value_column_see(void *to, uint32_t place, const struct value_column *column);
/* All of them, which are forgotten. */
void value_chunk_take(struct value_chunk *chunk, struct value_places *places, value_column_see *see,
                      void *to);
