#include "gcov/block_places.h"

#include "gcov/lines.h"

#include <string.h>

#define BLOCK_NONE UINT32_MAX

/* Notes have the blocks of the dump in its order, some cut behind calls into several, without some
 * that only led on, and with some that gcc made to have a place for an arc's line. Which are which
 * is found as one aligns two texts: blocks that are matched are to have the same lines and arcs. */
struct aligning {
    const struct notes_function *function;
    const struct dumped_function *dumped;
    uint32_t *first_arc;  /* of each block of the notes, and one more */
    uint32_t *first_line; /* likewise, of the notes' lines */
    const char **names;   /* of the notes' lines: file without folder */
    struct cell {
        int32_t score;
        uint16_t cuts;  /* of the block of the dump that this is in */
        uint8_t step;   /* enum step */
    } * cells;          /* up to each block of the notes and so many of the dump, the best so far */
    uint32_t *block_of; /* of each block of the notes: the dump's, or BLOCK_NONE */
    bool *dropped;      /* of each block of the dump */
};

enum step { STEP_NONE, STEP_BEGINS, STEP_GOES_ON, STEP_SPARE, STEP_DROPPED };
enum {
    SCORE_LINE = 2,
    SCORE_OTHER_LINE = -1,
    SCORE_ARCS = -8,
    SCORE_SPARE = -2,
    SCORE_DROPPED = -1
};
enum { CELLS_MOST = 1 << 24, DROPPED_MOST = 4, WRONG_MOST = 10 };

static uint32_t arcs_real(const struct aligning *aligning, uint32_t block)
{
    uint32_t n = 0;
    for (uint32_t i = aligning->first_arc[block]; i < aligning->first_arc[block + 1]; i++)
        n += !(aligning->function->arcs.at[i].flags & ARC_FAKE);
    return n;
}

static bool dumped_has_line(const struct aligning *aligning, const struct dumped_block *block,
                            const char *name, uint32_t line)
{
    for (uint32_t i = 0; i < block->n_places; i++) {
        const struct dumped_place *place = &aligning->dumped->places.at[block->first_place + i];
        if (place->line == line && strcmp(place->file, name) == 0)
            return true;
    }
    return false;
}

static int32_t lines_score(const struct aligning *aligning, uint32_t b,
                           const struct dumped_block *block)
{
    int32_t score = 0;
    for (uint32_t i = aligning->first_line[b]; i < aligning->first_line[b + 1]; i++)
        score += dumped_has_line(aligning, block, aligning->names[i],
                                 aligning->function->lines.at[i].line)
                     ? SCORE_LINE
                     : SCORE_OTHER_LINE;
    return score;
}

/* Whether as many arcs leave a block of the notes as the end of the dump's says. */
static bool ends_alike(const struct aligning *aligning, uint32_t b,
                       const struct dumped_block *block)
{
    uint32_t arcs = arcs_real(aligning, b);
    switch ((enum dumped_end)block->end) {
    case DUMPED_IF: return arcs == 2;
    case DUMPED_OTHERWISE: return arcs > 1;
    default: return arcs < 2;
    }
}

/* A block that was cut goes on in the next one, or does not come back from its call. */
static bool is_cut(const struct aligning *aligning, uint32_t b)
{
    if (aligning->first_arc[b + 1] - aligning->first_arc[b] != 2)
        return false;
    const struct notes_arc *arcs = &aligning->function->arcs.at[aligning->first_arc[b]];
    return arcs[0].to == b + 1 && !(arcs[0].flags & ARC_FAKE) && arcs[1].flags & ARC_FAKE &&
           arcs[1].to == NOTES_EXIT;
}

static struct cell *cell(const struct aligning *aligning, uint32_t b, uint32_t d)
{
    return &aligning->cells[(size_t)b * (aligning->dumped->blocks.n + 1) + d];
}

/* One that only leads on: gcc may have removed it since. */
static bool is_empty(const struct aligning *aligning, const struct dumped_block *block)
{
    for (uint32_t i = 0; i < block->n_places; i++)
        if (aligning->dumped->places.at[block->first_place + i].what != DUMPED_BEGINS)
            return false;
    return block->end == DUMPED_GOES;
}

static void step_try(const struct aligning *aligning, uint32_t b, uint32_t d, int32_t score,
                     enum step step, uint16_t cuts)
{
    struct cell *at = cell(aligning, b, d);
    if (at->step == STEP_NONE || at->score < score)
        *at = (struct cell){score, cuts, (uint8_t)step};
}

/* What comes after block b, if the first d of the dump are there or dropped. */
static void cell_leave(const struct aligning *aligning, uint32_t b, uint32_t d)
{
    const struct dumped_blocks *blocks = &aligning->dumped->blocks;
    const struct cell from = *cell(aligning, b, d);
    if (from.step == STEP_NONE)
        return;
    bool in = from.step == STEP_BEGINS || from.step == STEP_GOES_ON;
    int32_t left =
        from.score + (in && !ends_alike(aligning, b, &blocks->at[d - 1]) ? SCORE_ARCS : 0);
    if (d < blocks->n && is_empty(aligning, &blocks->at[d]))
        step_try(aligning, b, d + 1, left + SCORE_DROPPED, STEP_DROPPED, 0);
    if (b + 1 == aligning->function->n_blocks)
        return;
    if (d < blocks->n)
        step_try(aligning, b + 1, d + 1, left + lines_score(aligning, b + 1, &blocks->at[d]),
                 STEP_BEGINS, 0);
    if (in && from.cuts < blocks->at[d - 1].cuts && from.cuts < UINT16_MAX && is_cut(aligning, b))
        step_try(aligning, b + 1, d, from.score + lines_score(aligning, b + 1, &blocks->at[d - 1]),
                 STEP_GOES_ON, (uint16_t)(from.cuts + 1));
    if (arcs_real(aligning, b + 1) == 1 &&
        aligning->first_line[b + 2] - aligning->first_line[b + 1] < 2)
        step_try(aligning, b + 1, d, left + SCORE_SPARE, STEP_SPARE, 0);
}

/* False: they cannot be aligned. */
static bool blocks_align(struct aligning *aligning)
{
    uint32_t n = aligning->function->n_blocks, b = n - 1, d = (uint32_t)aligning->dumped->blocks.n;
    aligning->cells = mem_alloc((size_t)n * (d + 1) * sizeof *aligning->cells);
    *cell(aligning, NOTES_EXIT, 0) = (struct cell){.step = STEP_SPARE};
    for (uint32_t i = NOTES_EXIT; i < n; i++)
        for (uint32_t k = 0; k <= d; k++)
            cell_leave(aligning, i, k);
    bool ok = cell(aligning, b, d)->step != STEP_NONE;
    while (ok && (b > NOTES_EXIT || d)) {
        uint8_t step = cell(aligning, b, d)->step;
        if (step == STEP_BEGINS || step == STEP_GOES_ON)
            aligning->block_of[b] = d - 1;
        if (step == STEP_DROPPED)
            aligning->dropped[d - 1] = true;
        b -= step != STEP_DROPPED;
        d -= step == STEP_BEGINS || step == STEP_DROPPED;
    }
    mem_free(aligning->cells);
    return ok;
}

/* ---- whether it is right */

/* Where an arc of the notes leads in the dump; BLOCK_NONE: to the exit. */
static uint32_t arc_end(const struct aligning *aligning, const struct notes_arc *arc)
{
    uint32_t to = arc->to;
    for (int i = 0; i < 4 && to != NOTES_EXIT && aligning->block_of[to] == BLOCK_NONE; i++)
        to = aligning->function->arcs.at[aligning->first_arc[to]].to;
    return to == NOTES_EXIT ? BLOCK_NONE : aligning->block_of[to];
}

/* The block of that number that is in the notes: where it is dropped, what it leads to. */
static uint32_t number_kept(const struct aligning *aligning, uint32_t number)
{
    const struct dumped_blocks *blocks = &aligning->dumped->blocks;
    uint32_t at = 0;
    for (int i = 0; i < DROPPED_MOST; i++) {
        for (at = 0; at < blocks->n && blocks->at[at].number != number;)
            at++;
        if (at == blocks->n || !aligning->dropped[at])
            break;
        uint32_t to = blocks->at[at].to[0];
        number = to ? to : at + 1 < blocks->n ? blocks->at[at + 1].number : 0;
    }
    return at == blocks->n ? BLOCK_NONE : at;
}

static bool leads_to(const struct aligning *aligning, uint32_t b, uint32_t number)
{
    uint32_t wanted = number_kept(aligning, number);
    for (uint32_t i = aligning->first_arc[b]; i < aligning->first_arc[b + 1]; i++) {
        const struct notes_arc *arc = &aligning->function->arcs.at[i];
        if (!(arc->flags & ARC_FAKE) && arc_end(aligning, arc) == wanted)
            return true;
    }
    return false;
}

static bool block_agrees(const struct aligning *aligning, uint32_t b)
{
    uint32_t n = aligning->function->n_blocks, at = aligning->block_of[b];
    if (at == BLOCK_NONE || (b + 1 < n && aligning->block_of[b + 1] == at))
        return true;
    const struct dumped_block *block = &aligning->dumped->blocks.at[at];
    if (!ends_alike(aligning, b, block))
        return false;
    for (int way = 0; way < 2; way++)
        if (block->to[way] && !leads_to(aligning, b, block->to[way]))
            return false;
    return true;
}

/* The last part of each block of the dump leads where the dump says, or of nearly each: what does
 * not has no places then. */
static bool blocks_agree(const struct aligning *aligning)
{
    uint32_t n = aligning->function->n_blocks, bad = 0;
    bool *wrong = mem_alloc(n + 1);
    for (uint32_t b = 2; b < n; b++)
        bad += wrong[b] = !block_agrees(aligning, b);
    for (uint32_t b = 2; b < n; b++)
        for (uint32_t at = aligning->block_of[b], k = b;
             wrong[b] && at != BLOCK_NONE && k > 1 && aligning->block_of[k] == at; k--)
            aligning->block_of[k] = BLOCK_NONE;
    mem_free(wrong);
    return bad * WRONG_MOST <= aligning->dumped->blocks.n;
}

/* ---- all */

static void places_add(struct block_places *places, const struct aligning *aligning, uint32_t b)
{
    const struct dumped_block *block = &aligning->dumped->blocks.at[aligning->block_of[b]];
    uint32_t n = aligning->function->n_blocks;
    bool last = b + 1 == n || aligning->block_of[b + 1] != aligning->block_of[b];
    for (uint32_t i = 0; i < block->n_places; i++) {
        const struct dumped_place *place = &aligning->dumped->places.at[block->first_place + i];
        bool has = false;
        for (uint32_t k = aligning->first_line[b]; k < aligning->first_line[b + 1] && !has; k++)
            has = aligning->function->lines.at[k].line == place->line &&
                  strcmp(aligning->names[k], place->file) == 0;
        if (place->what == DUMPED_BRANCH ? last : has)
            *vec_push(places) = (struct block_place){.file = place->file,
                                                     .line = place->line,
                                                     .column = place->column,
                                                     .block = b,
                                                     .what = place->what};
    }
}

static void aligning_open(struct aligning *aligning)
{
    const struct notes_function *function = aligning->function;
    size_t n = function->n_blocks + 2;
    aligning->first_arc = mem_alloc(n * sizeof *aligning->first_arc);
    aligning->first_line = mem_alloc(n * sizeof *aligning->first_line);
    aligning->block_of = mem_alloc(n * sizeof *aligning->block_of);
    aligning->names = mem_alloc((function->lines.n + 1) * sizeof *aligning->names);
    aligning->dropped = mem_alloc(aligning->dumped->blocks.n + 1);
    for (size_t i = 0; i < function->arcs.n; i++)
        aligning->first_arc[function->arcs.at[i].from + 1] = (uint32_t)i + 1;
    for (size_t i = 0; i < function->lines.n; i++) {
        aligning->names[i] = file_last_part(function->lines.at[i].file);
        aligning->first_line[function->lines.at[i].block + 1] = (uint32_t)i + 1;
    }
    for (size_t b = 1; b < n; b++) {
        if (!aligning->first_arc[b])
            aligning->first_arc[b] = aligning->first_arc[b - 1];
        if (!aligning->first_line[b])
            aligning->first_line[b] = aligning->first_line[b - 1];
        aligning->block_of[b] = BLOCK_NONE;
    }
}

static void aligning_close(struct aligning *aligning)
{
    mem_free(aligning->first_arc);
    mem_free(aligning->first_line);
    mem_free(aligning->block_of);
    mem_free(aligning->names);
    mem_free(aligning->dropped);
}

/* Arcs and lines of the notes come block by block, in order. */
static bool notes_ordered(const struct notes_function *function)
{
    for (size_t i = 1; i < function->arcs.n; i++)
        if (function->arcs.at[i].from < function->arcs.at[i - 1].from)
            return false;
    for (size_t i = 1; i < function->lines.n; i++)
        if (function->lines.at[i].block < function->lines.at[i - 1].block)
            return false;
    return true;
}

bool block_places_find(struct block_places *places, const struct notes_function *function,
                       const struct dumped_function *dumped)
{
    struct aligning aligning = {.function = function, .dumped = dumped};
    if (function->n_blocks < 3 || !dumped->blocks.n || !notes_ordered(function) ||
        (uint64_t)function->n_blocks * (dumped->blocks.n + 1) > CELLS_MOST)
        return false;
    aligning_open(&aligning);
    bool ok = blocks_align(&aligning) && blocks_agree(&aligning);
    for (uint32_t b = 2; ok && b < function->n_blocks; b++)
        if (aligning.block_of[b] != BLOCK_NONE)
            places_add(places, &aligning, b);
    aligning_close(&aligning);
    return ok;
}
