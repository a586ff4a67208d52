#include "gcov/discriminators.h"

#include "base/map.h"

#include <string.h>

/* First and last line of each block, as indices of function->lines, plus one; 0: it has none. */
struct ends {
    uint32_t first, last;
};

struct guess {
    const struct notes_function *function;
    struct ends *ends;
    uint32_t *whole; /* blocks_uncut */
    uint32_t *result;
    struct map lines; /* file and line -> index of next */
    struct next_numbers {
        VEC(uint32_t);
    } next;
};

uint32_t *blocks_uncut(const struct notes_function *function)
{
    const struct notes_arcs *arcs = &function->arcs;
    uint32_t *whole = mem_alloc((function->n_blocks + 1) * sizeof *whole);
    for (uint32_t b = 0; b < function->n_blocks; b++)
        whole[b] = b;
    for (size_t i = 0; i + 1 < arcs->n; i++) {
        const struct notes_arc *one = &arcs->at[i], *two = one + 1;
        bool pair = one->from == two->from && (!i || one[-1].from != one->from) &&
                    (i + 2 == arcs->n || two[1].from != one->from);
        if (pair && !(one->flags & ARC_FAKE) && two->flags & ARC_FAKE && two->to == NOTES_EXIT &&
            one->to == one->from + 1)
            whole[one->to] = whole[one->from];
    }
    return whole;
}

static bool same_line(const struct notes_line *a, const struct notes_line *b)
{
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static uint32_t number_next(struct guess *guess, const struct notes_line *line)
{
    struct {
        const char *file;
        uint64_t line;
    } key = {line->file, line->line};
    uint32_t at = map_add(&guess->lines, &key);
    if (at == guess->next.n)
        *vec_push(&guess->next) = 0;
    return ++guess->next.at[at];
}

static void arc_number(struct guess *guess, const struct notes_arc *arc)
{
    uint32_t from = guess->whole[arc->from], to = guess->whole[arc->to];
    const struct notes_line *lines = guess->function->lines.at;
    struct ends at = guess->ends[from], next = guess->ends[to];
    if (arc->flags & ARC_FAKE || arc->to == NOTES_EXIT || arc->from == NOTES_ENTRY || from == to ||
        !at.last || !next.first)
        return;
    const struct notes_line *line = &lines[at.last - 1];
    if (!same_line(line, &lines[next.first - 1]) && !same_line(line, &lines[next.last - 1]))
        return;
    uint32_t number = number_next(guess, line);
    if (guess->result[to] && !guess->result[from])
        guess->result[from] = number;
    else
        guess->result[to] = number;
}

uint32_t *discriminators_guess(const struct notes_function *function)
{
    struct guess guess = {
        .function = function,
        .ends = mem_alloc((function->n_blocks + 1) * sizeof *guess.ends),
        .whole = blocks_uncut(function),
        .result = mem_alloc((function->n_blocks + 1) * sizeof *guess.result),
    };
    map_init(&guess.lines, 16);
    for (uint32_t i = 0; i < function->lines.n; i++) {
        struct ends *ends = &guess.ends[guess.whole[function->lines.at[i].block]];
        if (!ends->first)
            ends->first = i + 1;
        ends->last = i + 1;
    }
    for (size_t i = 0; i < function->arcs.n; i++)
        arc_number(&guess, &function->arcs.at[i]);
    for (uint32_t b = 0; b < function->n_blocks; b++)
        guess.result[b] = guess.result[guess.whole[b]];
    mem_free(guess.ends);
    mem_free(guess.whole);
    map_release(&guess.lines);
    vec_release(&guess.next);
    return guess.result;
}
