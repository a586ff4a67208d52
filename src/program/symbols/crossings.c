#include "program/symbols/crossings.h"

#include "base/memory.h"
#include "program/elf/image.h"
#include "x86/insn.h"

#define NOWHERE UINT32_MAX

/* Which stretch an address lies in is asked for every call: the first candidate is found by the
 * address's upper bits. */
struct finder {
    struct crossings *crossings;
    const struct image *image;
    const struct code_stretch *stretches;
    size_t n;
    uint64_t base, span;
    uint32_t
        *first; /* by (address - base) >> shift: the last stretch that begins at or before it */
    unsigned shift;
};

static void index_make(struct finder *finder)
{
    finder->base = finder->stretches[0].start;
    finder->span = finder->stretches[finder->n - 1].end - finder->base;
    while (finder->span >> finder->shift > 2 * finder->n)
        finder->shift++;
    size_t n = (size_t)(finder->span >> finder->shift) + 1;
    finder->first = mem_alloc(n * sizeof *finder->first);
    uint32_t at = 0;
    for (size_t i = 0; i < n; i++) {
        while (at + 1 < finder->n &&
               finder->stretches[at + 1].start - finder->base <= (uint64_t)i << finder->shift)
            at++;
        finder->first[i] = at;
    }
}

static uint32_t stretch_at(const struct finder *finder, uint64_t at)
{
    if (at - finder->base >= finder->span)
        return NOWHERE;
    uint32_t i = finder->first[(at - finder->base) >> finder->shift];
    while (i + 1 < finder->n && finder->stretches[i + 1].start <= at)
        i++;
    return at < finder->stretches[i].end ? i : NOWHERE;
}

static bool is_function(const struct code_stretch *stretch)
{
    return !stretch->unnamed && !stretch->part;
}

static void crossing_add(struct finder *finder, uint32_t from, uint32_t into, uint64_t to,
                         enum crossing_kind kind)
{
    if (finder->stretches[into].start != to || !is_function(&finder->stretches[into]))
        *vec_push(finder->crossings) = (struct crossing){to, from, into, (uint8_t)kind};
}

static void branch_note(struct finder *finder, uint32_t from, unsigned class, uint64_t to)
{
    uint32_t into = stretch_at(finder, to);
    if (into == NOWHERE)
        return;
    const struct code_stretch *stretch = &finder->stretches[into];
    if (class == INSN_CALL && stretch->unnamed)
        finder->crossings->used[into] = true;
    if (class == INSN_CALL && stretch->unnamed && !stretch->inside && stretch->start == to)
        return; /* so it is a function */
    crossing_add(finder, from, into, to,
                 class == INSN_CALL   ? CROSSING_CALL
                 : class == INSN_JUMP ? CROSSING_JUMP
                                      : CROSSING_COND);
}

static void address_note(struct finder *finder, uint64_t at)
{
    uint32_t into = stretch_at(finder, at);
    if (into != NOWHERE && finder->stretches[into].start == at)
        finder->crossings->used[into] = true;
}

static bool is_endbr64(const uint8_t *bytes)
{
    return bytes[0] == 0xf3 && bytes[1] == 0x0f && bytes[2] == 0x1e && bytes[3] == 0xfa;
}

static bool is_direct(unsigned class)
{
    return class == INSN_COND || class == INSN_COUNT_COND || class == INSN_JUMP ||
           class == INSN_CALL;
}

/* Most branches stay where they are: these are not looked up. */
static void stretch_sweep(struct finder *finder, uint32_t from)
{
    const struct code_stretch *stretch = &finder->stretches[from];
    size_t room;
    const uint8_t *bytes = image_bytes(finder->image, (struct svma){stretch->start}, &room);
    uint64_t all = stretch->end - stretch->start, n = bytes && room < all ? room : all;
    struct insn insn;
    for (uint64_t at = 0; bytes && at < n; at += insn.length) {
        if (!insn_decode(bytes + at, n - at, &insn))
            return;
        uint64_t pc = stretch->start + at;
        uint64_t to = is_direct(insn.class) ? insn_target(&insn, pc) : pc;
        if (insn.rip_relative)
            address_note(finder, pc + insn.length + (uint64_t)(int64_t)insn.disp);
        else if (to - stretch->start >= all)
            branch_note(finder, from, insn.class, to);
        else if (insn.length == 4 && is_endbr64(bytes + at))
            crossing_add(finder, from, from, pc, CROSSING_LANDING);
    }
}

void crossings_find(struct crossings *crossings, const struct image *image,
                    const struct code_stretch *stretches, size_t n)
{
    struct finder finder = {.crossings = crossings, .image = image, .stretches = stretches, .n = n};
    *crossings = (struct crossings){.used = mem_alloc((n + 1) * sizeof *crossings->used)};
    if (!n)
        return;
    index_make(&finder);
    for (uint32_t i = 0; i < n; i++)
        stretch_sweep(&finder, i);
    mem_free(finder.first);
}

void crossings_release(struct crossings *crossings)
{
    mem_free(crossings->used);
    vec_release(crossings);
    *crossings = (struct crossings){0};
}
