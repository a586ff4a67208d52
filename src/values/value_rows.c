#include "values/value_rows.h"

#include "base/memory.h"

#include <string.h>

/* Of an exit that is seldom taken few wait. Of others so many that a place's counts, once they are
 * near, are used for hundreds of values. */
enum { ROWS_FIRST = 4, STACK_WORDS = 1 << 13 };

void value_rows_release(struct value_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        mem_free(rows->at[i].words);
    vec_release(rows);
}

static void stack_take(struct value_stack *stack, struct value_places *places, uint32_t exit,
                       value_rows_see *see, void *to)
{
    const struct payload_part part = places->parts.at[exit].part;
    uint32_t superblock = (uint32_t)units_owner(places->units, exit);
    struct value_rows_column column = {stack->words, part.words, stack->n};
    for (uint32_t k = 0; k < part.n_items; k++) {
        const struct value_item *item = value_places_item(places, superblock, part.first_item + k);
        if (item->place != VALUE_PLACE_NONE)
            see(to, item->place, &column);
        column.words += item->words;
    }
    stack->n = 0;
}

/* Room for a row, in a stack that is full. */
static void stack_room(struct value_stack *stack, struct value_places *places, uint32_t exit,
                       value_rows_see *see, void *to)
{
    uint32_t words = places->parts.at[exit].part.words;
    if (stack->n)
        stack_take(stack, places, exit, see, to);
    if (stack->words && 2 * stack->room * words > STACK_WORDS)
        return;
    stack->room = stack->words ? 2 * stack->room : ROWS_FIRST;
    mem_free(stack->words);
    stack->words = mem_alloc((size_t)stack->room * words * sizeof *stack->words);
}

void value_rows_add(struct value_rows *rows, struct value_places *places,
                    const struct payload_window *window, value_rows_see *see, void *to)
{
    const uint64_t *word = window->words;
    while (rows->n < places->parts.n)
        *vec_push(rows) = (struct value_stack){0};
    for (uint32_t i = 0; i < window->n_exits; i++) {
        uint32_t exit = window->exits[i];
        struct value_part *known = &places->parts.at[exit];
        struct value_stack *stack = &rows->at[exit];
        uint32_t words = known->part.words;
        known->taken++;
        if (!words)
            continue;
        if (stack->n == stack->room)
            stack_room(stack, places, exit, see, to);
        memcpy(stack->words + (size_t)stack->n++ * words, word, words * sizeof *word);
        word += words;
    }
}

void value_rows_end(struct value_rows *rows, struct value_places *places, value_rows_see *see,
                    void *to)
{
    for (uint32_t i = 0; i < rows->n; i++)
        if (rows->at[i].n)
            stack_take(&rows->at[i], places, i, see, to);
}
