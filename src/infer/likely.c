#include "infer/likely.h"

#include "base/memory.h"
#include "program/cfg/dominators.h"
#include "program/elf/image.h"
#include "program/cfg/loops.h"

#include <string.h>

/* How often each was right in the programs of Wu and Larus; the last is ours. */
static const double LOOP_BACK = 0.88, LOOP_STAYS = 0.80, LOOP_ENTERED = 0.75, CALL_AVOIDED = 0.78,
                    RETURN_AVOIDED = 0.72, VALUE_UNUSUAL = 0.84, POINTER_NULL = 0.60,
                    END_AVOIDED = 0.99;

struct likely {
    const struct cfg *cfg;
    const struct image *image;
    struct loops loops;
    struct dominators after; /* post-dominators */
    uint8_t *traits;         /* by block */
};

enum { TRAIT_CALLS = 1, TRAIT_RETURNS = 2, TRAIT_ENDS = 4 };

static const struct instruction *block_last(const struct cfg *cfg, block_id block)
{
    const struct cfg_block *own = &cfg->blocks.at[block];
    return &cfg->instructions.at[own->first + own->instructions - 1];
}

static void traits_find(struct likely *likely)
{
    const struct cfg *cfg = likely->cfg;
    for (block_id i = 0; i < cfg->blocks.n; i++) {
        const struct cfg_block *block = &cfg->blocks.at[i];
        const struct instruction *last = block_last(cfg, i);
        likely->traits[i] |= last->kind == INSTRUCTION_RETURN ? TRAIT_RETURNS : 0;
        likely->traits[i] |= last->kind == INSTRUCTION_TRAP || last->no_return ? TRAIT_ENDS : 0;
        for (uint32_t k = 0; k < block->instructions; k++) {
            uint8_t kind = cfg->instructions.at[block->first + k].kind;
            if (kind == INSTRUCTION_CALL || kind == INSTRUCTION_ICALL)
                likely->traits[i] |= TRAIT_CALLS;
        }
    }
}

/* ---- two ways */

static void combine(double *odds, double with)
{
    *odds = *odds * with / (*odds * with + (1 - *odds) * (1 - with));
}

/* Evidence for one of two ways by a property that it has and the other has not. */
static void weigh(double *odds, bool first, bool second, double share)
{
    if (first != second)
        combine(odds, first ? share : 1 - share);
}

static bool goes_back(const struct likely *likely, block_id from, block_id to)
{
    loop_id loop = likely->loops.of_block[to];
    return loop != LOOP_NONE && likely->loops.at[loop].head == to &&
           loops_hold(&likely->loops, loop, from);
}

static bool leaves_loop(const struct likely *likely, block_id from, block_id to)
{
    loop_id loop = likely->loops.of_block[from];
    return loop != LOOP_NONE && !loops_hold(&likely->loops, loop, to);
}

static bool enters_loop(const struct likely *likely, block_id from, block_id to)
{
    loop_id loop = likely->loops.of_block[to];
    return loop != LOOP_NONE && likely->loops.at[loop].head == to &&
           !loops_hold(&likely->loops, loop, from) && !dominators_have(&likely->after, to, from);
}

static bool has(const struct likely *likely, block_id from, block_id to, uint8_t trait)
{
    return (likely->traits[to] & trait) && !dominators_have(&likely->after, to, from);
}

/* ---- conditions */

enum {
    CONDITION_NONE = 16,
    CONDITION_EQUAL = 4,
    CONDITION_SIGN = 8,
    CONDITION_LESS = 12,
    CONDITION_LESS_EQUAL = 14
};

/* The condition of a branch as encoded, the lowest bit of which turns it round. */
static uint8_t branch_condition(const struct image *image, const struct instruction *branch)
{
    size_t room;
    const uint8_t *bytes = image_bytes(image, branch->at, &room);
    for (size_t i = 0; bytes && i + 1 < room && i + 1 < branch->bytes; i++) {
        if (bytes[i] >= 0x70 && bytes[i] <= 0x7F)
            return bytes[i] & 15;
        if (bytes[i] == 0x0F && (bytes[i + 1] & 0xF0) == 0x80)
            return bytes[i + 1] & 15;
        if (bytes[i] != 0xF2 && bytes[i] != 0x2E && bytes[i] != 0x3E)
            break;
    }
    return CONDITION_NONE;
}

/* What the instruction before the branch compares: a register with itself, 64 bits of it or fewer,
 * or with a constant. */
enum compares { COMPARES_OTHER, COMPARES_NULL, COMPARES_ZERO, COMPARES_CONSTANT };

static enum compares compares_what(const struct image *image, const struct instruction *test)
{
    size_t room;
    const uint8_t *bytes = image_bytes(image, test->at, &room);
    if (!bytes || room < test->bytes || test->bytes < 2)
        return COMPARES_OTHER;
    bool rex = (bytes[0] & 0xF0) == 0x40, wide = rex && (bytes[0] & 8);
    uint8_t opcode = bytes[rex], form = rex + 1 < test->bytes ? bytes[rex + 1] : 0;
    bool itself = form >= 0xC0 && (form >> 3 & 7) == (form & 7);
    if ((opcode == 0x85 || opcode == 0x84) && itself)
        return wide ? COMPARES_NULL : COMPARES_ZERO;
    bool constant = (opcode >= 0x80 && opcode <= 0x83 && (form >> 3 & 7) == 7) || opcode == 0x3C ||
                    opcode == 0x3D;
    return constant ? COMPARES_CONSTANT : COMPARES_OTHER;
}

/* Evidence for the branch being taken. */
static void condition_weigh(const struct likely *likely, block_id block, double *taken)
{
    const struct cfg_block *own = &likely->cfg->blocks.at[block];
    const struct instruction *last = block_last(likely->cfg, block);
    uint8_t condition = branch_condition(likely->image, last);
    if (own->instructions < 2 || condition == CONDITION_NONE)
        return;
    enum compares compares = compares_what(likely->image, last - 1);
    double unusual = 0.5;
    switch (condition & ~1) {
    case CONDITION_EQUAL:
        unusual = compares == COMPARES_NULL                                    ? POINTER_NULL
                  : compares == COMPARES_ZERO || compares == COMPARES_CONSTANT ? VALUE_UNUSUAL
                                                                               : 0.5;
        break;
    case CONDITION_SIGN:
    case CONDITION_LESS:
    case CONDITION_LESS_EQUAL:
        unusual = compares == COMPARES_NULL || compares == COMPARES_ZERO ? VALUE_UNUSUAL : 0.5;
        break;
    default: break;
    }
    combine(taken, condition & 1 ? unusual : 1 - unusual);
}

static double first_of_two(const struct likely *likely, const struct cfg_edge *first,
                           const struct cfg_edge *second)
{
    block_id from = first->from_block, a = first->to_block, b = second->to_block;
    double odds = 0.5, taken = 0.5;
    bool back = goes_back(likely, from, a), other_back = goes_back(likely, from, b);
    weigh(&odds, back, other_back, LOOP_BACK);
    if (!back && !other_back)
        weigh(&odds, leaves_loop(likely, from, a), leaves_loop(likely, from, b), 1 - LOOP_STAYS);
    weigh(&odds, enters_loop(likely, from, a), enters_loop(likely, from, b), LOOP_ENTERED);
    weigh(&odds, has(likely, from, a, TRAIT_CALLS), has(likely, from, b, TRAIT_CALLS),
          1 - CALL_AVOIDED);
    weigh(&odds, has(likely, from, a, TRAIT_RETURNS), has(likely, from, b, TRAIT_RETURNS),
          1 - RETURN_AVOIDED);
    weigh(&odds, has(likely, from, a, TRAIT_ENDS), has(likely, from, b, TRAIT_ENDS),
          1 - END_AVOIDED);
    if (first->kind == CFG_TAKEN || second->kind == CFG_TAKEN) {
        condition_weigh(likely, from, &taken);
        combine(&odds, first->kind == CFG_TAKEN ? taken : 1 - taken);
    }
    return odds;
}

void likely_edges(double *odds, const struct cfg *cfg, const struct image *image)
{
    struct likely likely = {.cfg = cfg, .image = image};
    likely.traits = mem_alloc(cfg->blocks.n + 1);
    loops_find(&likely.loops, cfg);
    post_dominators_build(&likely.after, cfg);
    traits_find(&likely);
    for (size_t i = 0, end; i < cfg->edges.n; i = end) {
        const struct cfg_edge *edges = &cfg->edges.at[i];
        for (end = i; end < cfg->edges.n; end++)
            if (cfg->edges.at[end].from_block != edges->from_block)
                break;
        for (size_t k = i; k < end; k++)
            odds[k] = 1 / (double)(end - i);
        if (end - i == 2) {
            odds[i] = first_of_two(&likely, edges, edges + 1);
            odds[i + 1] = 1 - odds[i];
        }
    }
    dominators_release(&likely.after);
    loops_release(&likely.loops);
    mem_free(likely.traits);
}
