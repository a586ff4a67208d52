#include "values/value_chunk.h"

void value_chunk_release(struct value_chunk *chunk)
{
    vec_release(&chunk->words);
    vec_release(&chunk->visits);
    vec_release(&chunk->together);
    vec_release(&chunk->chains);
    vec_release(&chunk->superblocks);
}

bool value_chunk_is_full(const struct value_chunk *chunk)
{
    return chunk->words.n >= VALUE_CHUNK_WORDS;
}

static struct value_chain *chain_get(struct value_chunk *chunk, uint32_t superblock)
{
    while (chunk->chains.n <= superblock)
        *vec_push(&chunk->chains) = (struct value_chain){VALUE_PLACE_NONE, VALUE_PLACE_NONE, 0};
    return &chunk->chains.at[superblock];
}

static void visit_add(struct value_chunk *chunk, uint32_t superblock,
                      const struct value_visit *visit)
{
    struct value_chain *chain = &chunk->chains.at[superblock];
    uint32_t index = (uint32_t)chunk->visits.n;
    *vec_push(&chunk->visits) = *visit;
    if (chain->first == VALUE_PLACE_NONE) {
        chain->first = index;
        *vec_push(&chunk->superblocks) = superblock;
    } else {
        chunk->visits.at[chain->last].next = index;
    }
    chain->last = index;
}

/* How many visits this one stands for, if it is drawn; 0: it is not. */
static uint32_t visit_draw(struct value_chunk *chunk, uint32_t passed)
{
    if (passed <= VALUE_CHUNK_VISITS)
        return 1;
    uint32_t each = (passed + VALUE_CHUNK_VISITS - 1) / VALUE_CHUNK_VISITS;
    return random_below(&chunk->random, each) ? 0 : each;
}

void value_chunk_add(struct value_chunk *chunk, struct value_places *places,
                     const struct payload_window *window, const struct value_visit *each)
{
    const struct units *units = places->units;
    uint32_t at = (uint32_t)chunk->words.n;
    vec_room(&chunk->words, chunk->words.n + window->n_words);
    memcpy(chunk->words.at + at, window->words, window->n_words * sizeof *window->words);
    chunk->words.n += window->n_words;
    for (uint32_t i = 0; i < window->n_exits; i++)
        chain_get(chunk, (uint32_t)units_owner(units, window->exits[i]))->passed++;
    for (uint32_t i = 0; i < window->n_exits; i++) {
        uint32_t superblock = (uint32_t)units_owner(units, window->exits[i]);
        struct value_part *known = &places->parts.at[window->exits[i]];
        uint32_t times = visit_draw(chunk, chunk->chains.at[superblock].passed);
        known->taken++;
        if (known->part.n_items && times)
            visit_add(chunk, superblock,
                      &(struct value_visit){.words = at,
                                            .next = VALUE_PLACE_NONE,
                                            .weight = times * each->weight,
                                            .n_items = (uint16_t)known->part.n_items,
                                            .window = each->window});
        at += known->part.words;
    }
    for (uint32_t i = 0; i < window->n_exits; i++)
        chunk->chains.at[units_owner(units, window->exits[i])].passed = 0;
}

/* The visits of a superblock, side by side; the most items that one has. */
static uint32_t visits_gather(struct value_chunk *chunk, uint32_t superblock)
{
    struct value_chain *chain = &chunk->chains.at[superblock];
    uint32_t most = 0;
    chunk->together.n = 0;
    for (uint32_t i = chain->first; i != VALUE_PLACE_NONE; i = chunk->visits.at[i].next) {
        *vec_push(&chunk->together) = chunk->visits.at[i];
        most = chunk->visits.at[i].n_items > most ? chunk->visits.at[i].n_items : most;
    }
    *chain = (struct value_chain){VALUE_PLACE_NONE, VALUE_PLACE_NONE, 0};
    return most;
}

/* Those that left before the item leave the others' company. */
static void visits_leave(struct value_visits *together, uint32_t item)
{
    size_t kept = 0;
    for (size_t i = 0; i < together->n; i++)
        if (together->at[i].n_items > item)
            together->at[kept++] = together->at[i];
    together->n = kept;
}

void value_chunk_take(struct value_chunk *chunk, struct value_places *places, value_column_see *see,
                      void *to)
{
    for (size_t s = 0; s < chunk->superblocks.n; s++) {
        uint32_t superblock = chunk->superblocks.at[s];
        uint32_t first = places->units->superblocks.at[superblock].first_item;
        uint32_t least = UINT32_MAX, most = visits_gather(chunk, superblock);
        for (size_t i = 0; i < chunk->together.n; i++)
            if (chunk->together.at[i].n_items < least)
                least = chunk->together.at[i].n_items;
        uint32_t at = 0;
        for (uint32_t k = 0; k < most; k++) {
            if (k >= least)
                visits_leave(&chunk->together, k);
            const struct value_item *item = value_places_item(places, superblock, first + k);
            struct value_column column = {chunk->words.at, chunk->together.at, chunk->together.n,
                                          at};
            if (item->place != VALUE_PLACE_NONE)
                see(to, item->place, &column);
            at += item->words;
        }
    }
    chunk->superblocks.n = chunk->visits.n = chunk->words.n = 0;
}
