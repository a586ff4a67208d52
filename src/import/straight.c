#include "import/straight.h"

#include "base/err.h"
#include "program/insn/disasm.h"
#include "program/elf/image.h"
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
    struct straight_jumps jumps, calls,
        repeats;                    /* of the object, by from; repeats: to themselves */
    struct straight_jumps arrivals; /* the jumps by where they lead */
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
    struct edge_key key = {writing->module, to_module, {from}, {to}, kind};
    if (count)
        sum_add(&table_at(&writing->profile->edges, &key)->count, count);
}

static void range_add(struct writing *writing, uint64_t start, uint64_t last, uint32_t n,
                      uint64_t count)
{
    struct range_key key = {writing->module, n, {start}, {last}};
    sum_add(&table_at(&writing->profile->ranges, &key)->count, count);
    uint64_t executed;
    if (__builtin_mul_overflow(count, n, &executed))
        executed = UINT64_MAX;
    sum_add(&writing->profile->totals.instructions, executed);
}

static bool branch_at(const struct writing *writing, uint64_t at, struct instruction *ret)
{
    return writing->image && disasm_at(writing->image, (struct svma){at}, ret);
}

/* ---- jumps by where they start or end */

static int from_order(const void *a, const void *b)
{
    const struct straight_jump *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int to_order(const void *a, const void *b)
{
    const struct straight_jump *x = a, *y = b;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* What all that compare equal to the wanted one count; they stand in that order. */
static uint64_t jumps_sum(const struct straight_jumps *jumps, const struct straight_jump *wanted,
                          int (*order)(const void *, const void *))
{
    uint64_t sum = 0;
    size_t low = 0, high = jumps->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order(&jumps->at[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < jumps->n && order(&jumps->at[low], wanted) == 0; low++)
        sum_add(&sum, jumps->at[low].count);
    return sum;
}

static void sorted(struct straight_jumps *jumps, int (*order)(const void *, const void *))
{
    if (jumps->n)
        qsort(jumps->at, jumps->n, sizeof *jumps->at, order);
}

static void jumps_sort(struct writing *writing)
{
    const struct straight_object *object = writing->object;
    struct instruction instruction;
    writing->jumps.n = writing->calls.n = writing->repeats.n = writing->arrivals.n = 0;
    for (size_t i = 0; i < object->jumps.n; i++) {
        const struct straight_jump *jump = &object->jumps.at[i];
        bool repeats = jump->from == jump->to && branch_at(writing, jump->from, &instruction) &&
                       instruction.kind == INSTRUCTION_PLAIN;
        *vec_push(repeats ? &writing->repeats : &writing->jumps) = *jump;
        if (!repeats)
            *vec_push(&writing->arrivals) = *jump;
    }
    for (size_t i = 0; i < object->calls.n; i++)
        *vec_push(&writing->calls) = object->calls.at[i];
    sorted(&writing->jumps, from_order);
    sorted(&writing->calls, from_order);
    sorted(&writing->repeats, from_order);
    sorted(&writing->arrivals, to_order);
}

/* ---- counts */

/* Of how often an instruction was executed, what goes on behind it. */
static uint64_t went_on(const struct writing *writing, const struct place *place,
                        const struct instruction *instruction)
{
    struct straight_jump wanted = {.from = place->at};
    uint64_t taken = jumps_sum(&writing->jumps, &wanted, from_order);
    if (instruction->kind != INSTRUCTION_COND)
        return instruction_ends_block(instruction) ? 0 : place->count;
    return taken < place->count ? place->count - taken : 0;
}

/* Callgrind counts the turns of an instruction that repeats itself, and adds what stubs execute to
 * the calls of them. Neither was executed more often than control came to it. */
static void counts_mend(struct writing *writing)
{
    struct places *places = &writing->places;
    for (size_t i = 1; i < places->n; i++) {
        const struct place *before = &places->at[i - 1];
        struct place *place = &places->at[i];
        struct instruction instruction, last;
        if (!branch_at(writing, place->at, &instruction) ||
            !branch_at(writing, before->at, &last) || instruction_next(&last).v != place->at)
            continue;
        struct straight_jump itself = {.from = place->at, .to = place->at};
        uint64_t came = went_on(writing, before, &last);
        if (instruction.kind != INSTRUCTION_CALL && instruction.kind != INSTRUCTION_JUMP &&
            !jumps_sum(&writing->repeats, &itself, from_order))
            continue;
        sum_add(&came, jumps_sum(&writing->arrivals, &itself, to_order));
        if (came && came < place->count)
            place->count = came;
    }
}

/* ---- runs */

/* Behind a call control arrives by a return. */
static void pass_add(struct writing *writing, const struct instruction *last, uint64_t to,
                     uint64_t count)
{
    struct edge_key arrival = {MODULE_NONE, writing->module, {0}, {to}, EDGE_RETURN};
    if (last->kind == INSTRUCTION_CALL || last->kind == INSTRUCTION_ICALL)
        sum_add(&table_at(&writing->profile->edges, &arrival)->count, count);
    else
        edge_add(writing, last->at.v, writing->module, to,
                 last->kind == INSTRUCTION_SYSCALL ? EDGE_SYSCALL : EDGE_SPLIT, count);
}

/* Runs of plain instructions that follow each other, and have one count. */
static void runs_add(struct writing *writing)
{
    const struct places *places = &writing->places;
    uint64_t start = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < places->n; i++) {
        const struct place *place = &places->at[i], *next = place + 1;
        struct instruction instruction;
        bool on = branch_at(writing, place->at, &instruction) &&
                  !instruction_ends_block(&instruction) && i + 1 < places->n &&
                  next->at == instruction_next(&instruction).v;
        start = n++ ? start : place->at;
        if (on && instruction.kind == INSTRUCTION_PLAIN && next->count == place->count)
            continue;
        range_add(writing, start, place->at, n, place->count);
        if (on)
            pass_add(writing, &instruction, next->at,
                     place->count < next->count ? place->count : next->count);
        n = 0;
    }
}

/* ---- edges */

/* The jump of a PLT stub, at most so many instructions behind its beginning. */
enum { STUB_INSTRUCTIONS = 3 };

/* Callgrind goes from the call of a stub straight to the function behind it: the stub is put back
 * between them. */
static void stub_add(struct writing *writing, uint64_t stub, uint32_t to_module, uint64_t to,
                     uint64_t count)
{
    struct instruction instruction;
    uint64_t at = stub;
    for (uint32_t n = 1; n <= STUB_INSTRUCTIONS; n++) {
        if (!branch_at(writing, at, &instruction))
            return;
        if (instruction.kind == INSTRUCTION_IJUMP) {
            range_add(writing, stub, at, n, count);
            edge_add(writing, at, to_module, to, EDGE_IJUMP, count);
            return;
        }
        if (instruction.kind != INSTRUCTION_PLAIN)
            return;
        at = instruction_next(&instruction).v;
    }
}

/* What the instruction can have done to get there. */
static void passage_add(struct writing *writing, const struct straight_jump *jump,
                        enum edge_kind unknown)
{
    static const enum edge_kind kinds[] = {
        [INSTRUCTION_COND] = EDGE_TAKEN,   [INSTRUCTION_JUMP] = EDGE_JUMP,
        [INSTRUCTION_CALL] = EDGE_CALL,    [INSTRUCTION_IJUMP] = EDGE_IJUMP,
        [INSTRUCTION_ICALL] = EDGE_ICALL,  [INSTRUCTION_PLAIN] = EDGE_SPLIT,
        [INSTRUCTION_RETURN] = EDGE_SPLIT, [INSTRUCTION_SYSCALL] = EDGE_SYSCALL,
        [INSTRUCTION_TRAP] = EDGE_SPLIT};
    uint32_t to_module = writing->modules[jump->to_object];
    struct instruction last;
    if (!branch_at(writing, jump->from, &last)) {
        edge_add(writing, jump->from, to_module, jump->to, unknown, jump->count);
        return;
    }
    bool direct = last.kind == INSTRUCTION_COND || last.kind == INSTRUCTION_JUMP ||
                  last.kind == INSTRUCTION_CALL;
    bool indirect = last.kind == INSTRUCTION_IJUMP || last.kind == INSTRUCTION_ICALL;
    bool here = to_module == writing->module;
    if (indirect || (direct && here && jump->to == last.target.v)) {
        edge_add(writing, jump->from, to_module, jump->to, kinds[last.kind], jump->count);
    } else if (here && jump->to == instruction_next(&last).v) {
        ; /* what went on: runs and falls tell */
    } else if (direct) {
        edge_add(writing, jump->from, writing->module, last.target.v, kinds[last.kind],
                 jump->count);
        stub_add(writing, last.target.v, to_module, jump->to, jump->count);
    } else {
        /* Out of what is no jump, as into a signal handler: that it arrives is all that can be
         * said. */
        struct edge_key arrival = {MODULE_NONE, to_module, {0}, {jump->to}, EDGE_RETURN};
        sum_add(&table_at(&writing->profile->edges, &arrival)->count, jump->count);
    }
}

static void jumps_add(struct writing *writing, const struct straight_jumps *jumps,
                      enum edge_kind unknown)
{
    for (size_t i = 0; i < jumps->n; i++)
        passage_add(writing, &jumps->at[i], unknown);
}

/* What a conditional branch was not followed in fell through; a jump that nothing else is told of
 * went where it goes. */
static void falls_add(struct writing *writing)
{
    for (size_t i = 0; i < writing->places.n; i++) {
        const struct place *place = &writing->places.at[i];
        struct straight_jump wanted = {.from = place->at};
        struct instruction instruction;
        if (!branch_at(writing, place->at, &instruction))
            continue;
        if (instruction.kind == INSTRUCTION_COND)
            edge_add(writing, place->at, writing->module, instruction_next(&instruction).v,
                     EDGE_FALL, went_on(writing, place, &instruction));
        else if (instruction.kind == INSTRUCTION_JUMP &&
                 !jumps_sum(&writing->jumps, &wanted, from_order) &&
                 !jumps_sum(&writing->calls, &wanted, from_order))
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
    jumps_sort(writing);
    counts_mend(writing);
    runs_add(writing);
    jumps_add(writing, &writing->jumps, EDGE_JUMP);
    jumps_add(writing, &writing->calls, EDGE_CALL);
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
    vec_release(&writing.jumps);
    vec_release(&writing.calls);
    vec_release(&writing.repeats);
    vec_release(&writing.arrivals);
    mem_free(writing.modules);
    mem_free(images);
    mem_free(open);
}
