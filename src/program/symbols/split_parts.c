#include "program/symbols/split_parts.h"

#include "base/memory.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* Who leads into a stretch. */
struct entered {
    uint32_t from; /* by jumps */
    bool oddly;    /* as functions are not: in the middle, or by a conditional jump */
    bool used;     /* called, or its address is taken */
};

struct finder {
    const struct code_stretch *stretches;
    size_t n;
    struct entered *entered;
};

static int start_order(const void *key, const void *member)
{
    const uint64_t *at = key;
    const struct code_stretch *stretch = member;
    return *at < stretch->start ? -1 : *at > stretch->start;
}

static void pointer_note(struct finder *finder, uint64_t at)
{
    const struct code_stretch *to =
        bsearch(&at, finder->stretches, finder->n, sizeof *to, start_order);
    if (to)
        finder->entered[to - finder->stretches].used = true;
}

static void crossing_note(struct finder *finder, const struct crossing *crossing)
{
    struct entered *entered = &finder->entered[crossing->into];
    if (crossing->kind != CROSSING_JUMP && crossing->kind != CROSSING_COND)
        return;
    entered->from =
        entered->from == NOBODY || entered->from == crossing->from ? crossing->from : SEVERAL;
    entered->oddly |=
        crossing->kind != CROSSING_JUMP || finder->stretches[crossing->into].start != crossing->to;
}

static bool is_part(const struct finder *finder, uint32_t at, bool inside)
{
    const struct code_stretch *stretch = &finder->stretches[at];
    const struct entered *entered = &finder->entered[at];
    if (!stretch->unnamed || entered->from >= SEVERAL || stretch->inside != inside)
        return false;
    return inside || (entered->oddly && !entered->used);
}

/* Those that begin inside of a frame first: that is proof, and who has such a part is none. */
static void parts_take(const struct finder *finder, uint32_t *parents, bool inside)
{
    for (uint32_t i = 0; i < finder->n; i++) {
        if (parents[i] != i || !is_part(finder, i, inside))
            continue;
        uint32_t parent = parents[finder->entered[i].from];
        bool whole = parents[parent] == parent && !finder->stretches[parent].inside;
        if (whole && parent != i)
            parents[i] = parent;
    }
}

/* A stretch that has become a part of another cannot have parts by itself: they are the other's,
 * too. */
static void parents_settle(const struct finder *finder, uint32_t *parents)
{
    for (uint32_t i = 0; i < finder->n; i++)
        for (int step = 0; step < 4 && parents[parents[i]] != parents[i]; step++)
            parents[i] = parents[parents[i]];
    for (uint32_t i = 0; i < finder->n; i++)
        if (parents[parents[i]] != parents[i])
            parents[i] = i;
}

void split_parts_find(const struct crossings *crossings, const struct evidence *evidence,
                      const struct code_stretch *stretches, size_t n, uint32_t *parents)
{
    struct finder finder = {stretches, n, mem_alloc((n + 1) * sizeof *finder.entered)};
    for (size_t i = 0; i < n; i++)
        finder.entered[i] = (struct entered){.from = NOBODY, .used = crossings->used[i]};
    for (size_t i = 0; i < evidence->pointers.n; i++)
        pointer_note(&finder, evidence->pointers.at[i].value);
    for (size_t i = 0; i < crossings->n; i++)
        crossing_note(&finder, &crossings->at[i]);
    parts_take(&finder, parents, true);
    parts_take(&finder, parents, false);
    parents_settle(&finder, parents);
    mem_free(finder.entered);
}
