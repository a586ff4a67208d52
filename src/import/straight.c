#include "import/straight.h"

#include "base/err.h"
#include "program/disasm.h"
#include "program/image.h"
#include "profile/profile.h"
#include "profile/sums.h"

#include <stdlib.h>
#include <string.h>

void straight_release(struct straight *straight)
{
    for (size_t i = 0; i < straight->n; i++) {
        map_release(&straight->at[i].instructions);
        vec_release(&straight->at[i].counts);
        vec_release(&straight->at[i].jumps);
        vec_release(&straight->at[i].calls);
    }
    vec_release(straight);
}

uint32_t straight_object(struct straight *straight, const char *path)
{
    for (uint32_t i = 0; i < straight->n; i++)
        if (strcmp(straight->at[i].path, path) == 0)
            return i;
    struct straight_object *object = vec_push(straight);
    object->path = path;
    map_init(&object->instructions, sizeof(uint64_t));
    return (uint32_t)straight->n - 1;
}

void straight_count(struct straight *straight, uint32_t object, uint64_t at, uint64_t count)
{
    struct straight_object *into = &straight->at[object];
    uint32_t i = map_add(&into->instructions, &at);
    if (i == into->counts.n)
        *vec_push(&into->counts) = 0;
    sum_add(&into->counts.at[i], count);
}

/* ---- writing */

struct place {
    uint64_t at, count;
};

struct writing {
    struct profile *profile;
    const struct straight *straight;
    const struct straight_object *object;
    uint32_t *modules; /* of each object, in the profile */
    uint32_t module;
    const struct image *image; /* NULL: gone */
    struct places {
        VEC(struct place); /* by address */
    } places;
};

static int place_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void edge_add(struct writing *writing, uint64_t from, uint32_t to_module, uint64_t to,
                     enum edge_kind kind, uint64_t count)
{
    struct edge_key key = {writing->module, to_module, from, to, kind};
    if (count)
        sum_add(&table_at(&writing->profile->edges, &key)->count, count);
}

static void range_add(struct writing *writing, uint64_t start, uint64_t last, uint32_t n,
                      uint64_t count)
{
    struct range_key key = {writing->module, n, start, last};
    sum_add(&table_at(&writing->profile->ranges, &key)->count, count);
    uint64_t executed;
    if (__builtin_mul_overflow(count, n, &executed))
        executed = UINT64_MAX;
    sum_add(&writing->profile->totals.instructions, executed);
}

/* Runs of instructions that follow each other, and have one count. */
static void runs_add(struct writing *writing)
{
    const struct places *places = &writing->places;
    uint64_t start = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < places->n; i++) {
        const struct place *place = &places->at[i], *next = place + 1;
        struct instruction instruction;
        bool whole =
            writing->image && disasm_at(writing->image, (struct svma){place->at}, &instruction);
        bool on = whole && !instruction_ends_block(&instruction) && i + 1 < places->n &&
                  next->at == instruction_next(&instruction).v;
        start = n++ ? start : place->at;
        if (on && next->count == place->count)
            continue;
        range_add(writing, start, place->at, n, place->count);
        if (on)
            edge_add(writing, place->at, writing->module, next->at, EDGE_SPLIT,
                     place->count < next->count ? place->count : next->count);
        n = 0;
    }
}

static bool branch_at(const struct writing *writing, uint64_t at, struct instruction *ret)
{
    return writing->image && disasm_at(writing->image, (struct svma){at}, ret);
}

static void jumps_add(struct writing *writing)
{
    const struct straight_jumps *jumps = &writing->object->jumps;
    for (size_t i = 0; i < jumps->n; i++) {
        const struct straight_jump *jump = &jumps->at[i];
        struct instruction instruction;
        enum edge_kind kind = EDGE_JUMP;
        bool known = branch_at(writing, jump->from, &instruction);
        if (known && instruction.kind == INSTRUCTION_IJUMP)
            kind = EDGE_IJUMP;
        else if (known && instruction.kind == INSTRUCTION_COND)
            kind = EDGE_TAKEN;
        edge_add(writing, jump->from, writing->modules[jump->to_object], jump->to, kind,
                 jump->count);
    }
}

static void calls_add(struct writing *writing)
{
    const struct straight_jumps *calls = &writing->object->calls;
    for (size_t i = 0; i < calls->n; i++) {
        const struct straight_jump *call = &calls->at[i];
        struct instruction instruction;
        bool known = branch_at(writing, call->from, &instruction);
        enum edge_kind kind = !known                                  ? EDGE_CALL
                              : instruction.kind == INSTRUCTION_ICALL ? EDGE_ICALL
                              : instruction.kind == INSTRUCTION_JUMP  ? EDGE_JUMP
                              : instruction.kind == INSTRUCTION_IJUMP ? EDGE_IJUMP
                              : instruction.kind == INSTRUCTION_COND  ? EDGE_TAKEN
                                                                      : EDGE_CALL;
        edge_add(writing, call->from, writing->modules[call->to_object], call->to, kind,
                 call->count);
    }
}

static int from_order(const void *a, const void *b)
{
    const struct straight_jump *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* What a conditional branch was not followed in fell through. */
static void falls_add(struct writing *writing)
{
    const struct straight_jumps *jumps = &writing->object->jumps;
    if (jumps->n)
        qsort(jumps->at, jumps->n, sizeof *jumps->at, from_order);
    for (size_t i = 0; i < writing->places.n; i++) {
        const struct place *place = &writing->places.at[i];
        struct instruction instruction;
        if (!branch_at(writing, place->at, &instruction))
            continue;
        struct straight_jump wanted = {.from = place->at};
        const struct straight_jump *found =
            jumps->n ? bsearch(&wanted, jumps->at, jumps->n, sizeof wanted, from_order) : NULL;
        uint64_t taken = 0;
        while (found && found > jumps->at && found[-1].from == place->at)
            found--;
        for (; found && found < jumps->at + jumps->n && found->from == place->at; found++)
            sum_add(&taken, found->count);
        if (instruction.kind == INSTRUCTION_COND && place->count > taken)
            edge_add(writing, place->at, writing->module, instruction_next(&instruction).v,
                     EDGE_FALL, place->count - taken);
        else if (instruction.kind == INSTRUCTION_JUMP && !taken)
            edge_add(writing, place->at, writing->module, instruction.target.v, EDGE_JUMP,
                     place->count);
    }
}

static void object_write(struct writing *writing)
{
    const struct straight_object *object = writing->object;
    writing->places.n = 0;
    for (uint32_t i = 0; i < object->instructions.n; i++) {
        uint64_t at;
        memcpy(&at, map_key(&object->instructions, i), sizeof at);
        if (object->counts.at[i])
            *vec_push(&writing->places) = (struct place){at, object->counts.at[i]};
    }
    if (writing->places.n)
        qsort(writing->places.at, writing->places.n, sizeof *writing->places.at, place_order);
    runs_add(writing);
    jumps_add(writing);
    calls_add(writing);
    falls_add(writing);
}

void straight_write(struct straight *straight, struct profile *profile)
{
    struct writing writing = {.profile = profile,
                              .straight = straight,
                              .modules = mem_alloc((straight->n + 1) * sizeof *writing.modules)};
    struct image *images = mem_alloc((straight->n + 1) * sizeof *images);
    bool *open = mem_alloc(straight->n + 1);
    for (size_t i = 0; i < straight->n; i++) {
        struct err err;
        const char *path = straight->at[i].path;
        open[i] = path[0] == '/' && image_open(&images[i], path, &err);
        writing.modules[i] = profile_module(profile, path, open[i] ? images[i].build_id : NULL,
                                            open[i] ? images[i].build_id_bytes : 0);
    }
    for (size_t i = 0; i < straight->n; i++) {
        writing.object = &straight->at[i];
        writing.module = writing.modules[i];
        writing.image = open[i] ? &images[i] : NULL;
        object_write(&writing);
        if (open[i])
            image_close(&images[i]);
    }
    vec_release(&writing.places);
    mem_free(writing.modules);
    mem_free(images);
    mem_free(open);
}
