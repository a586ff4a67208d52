#include "program/split_parts.h"

#include "base/memory.h"
#include "program/image.h"
#include "x86/insn.h"

#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* Who leads into a stretch. */
struct entered {
    uint32_t from; /* by jumps */
    bool oddly;    /* as functions are not: in the middle, or by a conditional jump */
    bool used;     /* called, or its address is taken */
};

struct finder {
    const struct image *image;
    const struct part_stretch *stretches;
    size_t n;
    struct entered *entered;
};

static uint32_t stretch_at(const struct finder *finder, uint64_t at)
{
    size_t low = 0, high = finder->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (finder->stretches[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at < finder->stretches[low - 1].end ? (uint32_t)low - 1 : NOBODY;
}

static void address_note(struct finder *finder, uint64_t at)
{
    uint32_t to = stretch_at(finder, at);
    if (to != NOBODY && finder->stretches[to].start == at)
        finder->entered[to].used = true;
}

static void branch_note(struct finder *finder, uint32_t from, const struct insn *insn,
                        uint64_t target)
{
    uint32_t to = stretch_at(finder, target);
    if (to == NOBODY || !finder->stretches[to].unnamed)
        return;
    struct entered *entered = &finder->entered[to];
    if (insn->class == INSN_CALL) {
        entered->used = true;
        return;
    }
    entered->from = entered->from == NOBODY || entered->from == from ? from : SEVERAL;
    entered->oddly |= insn->class != INSN_JUMP || finder->stretches[to].start != target;
}

/* Most branches stay where they are: these are not looked up. */
static void stretch_sweep(struct finder *finder, uint32_t from)
{
    const struct part_stretch *stretch = &finder->stretches[from];
    size_t room;
    const uint8_t *bytes = image_bytes(finder->image, (struct svma){stretch->start}, &room);
    uint64_t n = stretch->end - stretch->start;
    struct insn insn;
    n = bytes && room < n ? room : n;
    for (uint64_t at = 0; bytes && at < n; at += insn.length) {
        uint64_t pc = stretch->start + at;
        if (!insn_decode(bytes + at, n - at, &insn))
            return;
        if (insn.rip_relative)
            address_note(finder, pc + insn.length + (uint64_t)(int64_t)insn.disp);
        bool direct = insn.class == INSN_COND || insn.class == INSN_COUNT_COND ||
                      insn.class == INSN_JUMP || insn.class == INSN_CALL;
        uint64_t target = direct ? insn_target(&insn, pc) : pc;
        if (target - stretch->start >= stretch->end - stretch->start)
            branch_note(finder, from, &insn, target);
    }
}

static bool is_part(const struct finder *finder, uint32_t at, bool inside)
{
    const struct part_stretch *stretch = &finder->stretches[at];
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

/* A stretch that has become a part of another cannot have parts by itself: they are the other's, too. */
static void parents_settle(const struct finder *finder, uint32_t *parents)
{
    for (uint32_t i = 0; i < finder->n; i++)
        for (int step = 0; step < 4 && parents[parents[i]] != parents[i]; step++)
            parents[i] = parents[parents[i]];
    for (uint32_t i = 0; i < finder->n; i++)
        if (parents[parents[i]] != parents[i])
            parents[i] = i;
}

void split_parts_find(const struct image *image, const struct evidence *evidence,
                      const struct part_stretch *stretches, size_t n, uint32_t *parents)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= stretches[i].unnamed;
    if (!any)
        return;
    struct finder finder = {image, stretches, n, mem_alloc(n * sizeof *finder.entered)};
    for (size_t i = 0; i < n; i++)
        finder.entered[i].from = NOBODY;
    for (size_t i = 0; i < evidence->pointers.n; i++)
        address_note(&finder, evidence->pointers.at[i].value);
    for (uint32_t i = 0; i < n; i++)
        stretch_sweep(&finder, i);
    parts_take(&finder, parents, true);
    parts_take(&finder, parents, false);
    parents_settle(&finder, parents);
    mem_free(finder.entered);
}
