#include "analysis/verify/verify.h"

#include "analysis/counts/items.h"
#include "analysis/counts/labels.h"
#include "analysis/verify/balance.h"
#include "analysis/verify/verify_plain.h"

#include <inttypes.h>

static bool decodes(const struct image *image, uint64_t at, struct instruction *ret)
{
    return image_executable(image, (struct svma){at}) && disasm_at(image, (struct svma){at}, ret);
}

/* Code that was made at run time may have been changed since it was dumped. */
static const struct image *lasting_image(const struct scene *scene, uint32_t module)
{
    return profile_module_is_jit(scene->sides[0], module) ? NULL : scene_image(scene, 0, module);
}

/* ---- edges */

static bool edge_possible(const struct instruction *from, const struct edge_key *key)
{
    bool to_next = key->to.v == instruction_next(from).v && key->from_module == key->to_module;
    bool to_target = key->to.v == from->target.v && key->from_module == key->to_module;
    switch ((enum edge_kind)key->kind) {
    case EDGE_TAKEN: return from->kind == INSTRUCTION_COND && to_target;
    case EDGE_FALL: return from->kind == INSTRUCTION_COND && to_next;
    case EDGE_JUMP: return from->kind == INSTRUCTION_JUMP && to_target;
    case EDGE_SPLIT: return from->kind == INSTRUCTION_PLAIN && to_next;
    case EDGE_IJUMP: return from->kind == INSTRUCTION_IJUMP;
    case EDGE_CALL: return from->kind == INSTRUCTION_CALL && to_target;
    case EDGE_ICALL: return from->kind == INSTRUCTION_ICALL;
    case EDGE_SYSCALL: return from->kind == INSTRUCTION_SYSCALL && to_next;
    case EDGE_RETURN: /* has no from */
    case EDGE_KINDS: break;
    }
    return false;
}

static void edge_check(struct verification *verdict, struct scene *scene,
                       const struct edge_key *key)
{
    struct instruction instruction;
    uint32_t from_module = scene_module(scene, 0, key->from_module);
    uint32_t to_module = scene_module(scene, 0, key->to_module);
    const struct image *from = lasting_image(scene, key->from_module);
    const struct image *to = lasting_image(scene, key->to_module);
    bool has_from = key->kind != EDGE_RETURN;
    if (!to || (has_from && !from)) {
        verdict->skipped++;
        return;
    }
    verdict->edges++;
    const char *start = has_from ? address_text(scene, from_module, key->from.v) : "(return)";
    const char *end = address_text(scene, to_module, key->to.v);
    const char *kind = edge_kind_name((enum edge_kind)key->kind);
    bool possible =
        has_from && decodes(from, key->from.v, &instruction) && edge_possible(&instruction, key);
    if (has_from && !possible)
        verification_problem(verdict, CHECK_edge, "%s -> %s, %s", start, end, kind);
    /* A branch that names its target may lead to bytes that are none: the program gets SIGILL. */
    bool named = possible && key->kind != EDGE_IJUMP && key->kind != EDGE_ICALL;
    if (!named && !decodes(to, key->to.v, &instruction))
        verification_problem(verdict, CHECK_target, "%s -> %s, %s", start, end, kind);
}

static void edges_check(struct verification *verdict, struct scene *scene)
{
    const struct table *edges = &scene->sides[0]->edges;
    for (uint32_t i = 0; i < edges->n; i++)
        edge_check(verdict, scene, map_key(&edges->keys, i));
}

/* ---- ranges */

/* NULL, or what is wrong with it. */
static const char *range_fault(const struct image *image, const struct range_key *key)
{
    struct instruction instruction = {.at = key->start};
    for (uint32_t i = 0; i < key->instructions; i++) {
        struct svma at = i ? instruction_next(&instruction) : key->start;
        if (i && instruction.kind != INSTRUCTION_PLAIN)
            return "goes on behind a branch, call or system call";
        if (!decodes(image, at.v, &instruction))
            return "does not decode";
    }
    return instruction.at.v == key->last.v ? NULL : "has another number of instructions";
}

static void ranges_check(struct verification *verdict, struct scene *scene)
{
    const struct table *ranges = &scene->sides[0]->ranges;
    for (uint32_t i = 0; i < ranges->n; i++) {
        const struct range_key *key = map_key(&ranges->keys, i);
        const struct image *image = lasting_image(scene, key->module);
        if (!image) {
            verdict->skipped++;
            continue;
        }
        verdict->ranges++;
        const char *fault = range_fault(image, key);
        if (fault)
            verification_problem(
                verdict, CHECK_range, "%s to 0x%" PRIx64 ", %u instructions: %s",
                address_text(scene, scene_module(scene, 0, key->module), key->start.v), key->last.v,
                key->instructions, fault);
    }
}

/* ---- sums */

/* In every batch y <= x, so y^2 <= xy <= x^2. */
static void table_check(struct verification *verdict, const struct profile *profile,
                        const struct table *table, const char *what)
{
    const struct totals *totals = &profile->totals;
    for (uint32_t i = 0; i < table->n; i++) {
        const struct sums *sums = &table->at[i];
        if (table == &profile->ranges &&
            (sums->time > totals->time || sums->time_yy > sums->time_xy ||
             sums->time_xy > totals->time_xx))
            verification_problem(verdict, CHECK_sums, "%s %u: more time than there is", what, i);
        if (sums->count > totals->count || sums->count_yy > sums->count_xy ||
            sums->count_xy > totals->count_xx)
            verification_problem(verdict, CHECK_sums, "%s %u: more executions than there are", what,
                                 i);
    }
}

/* A branch that falls through tells the executions of both its ways: those are what they are. */
static void branches_check(struct verification *verdict, const struct profile *profile)
{
    struct map places;
    struct {
        VEC(uint64_t);
    } both = {0};
    map_init(&places, 2 * sizeof(uint64_t));
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < profile->edges.n; i++) {
            const struct edge_key *key = map_key(&profile->edges.keys, i);
            const struct sums *sums = &profile->edges.at[i];
            if (key->kind != EDGE_TAKEN && key->kind != EDGE_FALL)
                continue;
            const uint64_t place[2] = {key->from_module, key->from.v};
            uint32_t at = map_add(&places, place);
            if (at == both.n)
                *vec_push(&both) = 0;
            if (!pass)
                both.at[at] += sums->count;
            else if (key->kind == EDGE_FALL && sums->time != both.at[at])
                verification_problem(verdict, CHECK_sums,
                                     "branch at 0x%" PRIx64 ": its ways weigh %" PRIu64
                                     ", both together %" PRIu64,
                                     key->from.v, both.at[at], sums->time);
        }
    vec_release(&both);
    map_release(&places);
}

/* Every window is one whole: its ranges, times their instructions, add up to all, but for the
 * rounding of each to a 2^-UNIT_BITS ns. */
static void sums_check(struct verification *verdict, const struct profile *profile)
{
    const struct totals *totals = &profile->totals;
    u128 count = 0, time = 0;
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        count += (u128)profile->ranges.at[i].count * key->instructions;
        time += (u128)profile->ranges.at[i].time * key->instructions;
    }
    bool part = profile_fact_find(profile, "only"), carried = profile_fact_find(profile, "carried");
    if (profile->mode == PROFILE_EXACT &&
        (part ? count > totals->instructions : count != totals->instructions))
        verification_problem(verdict, CHECK_sums,
                             "ranges hold %.0f instructions, the totals %" PRIu64, (double)count,
                             totals->instructions);
    if (profile->mode != PROFILE_SAMPLED)
        return;
    table_check(verdict, profile, &profile->edges, "edge");
    table_check(verdict, profile, &profile->ranges, "range");
    branches_check(verdict, profile);
    double ratio = totals->time ? (double)time / (double)totals->time : 1;
    /* Branch records without a run between them are windows of branches alone. */
    part = part || profile_fact_find(profile, "imported") || profile_fact_find(profile, "branches");
    /* What another build's code was carried over to is not the code that windows were made of. */
    if (!carried && ((ratio < 0.999 && !part) || ratio > 1.001))
        verification_problem(verdict, CHECK_sums, "ranges add up to %.4f of all windows", ratio);
}

/* Of a loop that nobody can find, or runs that are longer than they say. */
static void trips_check(struct verification *verdict, const struct scene *scene)
{
    const struct profile *profile = scene->sides[0];
    for (uint32_t i = 0; i < profile->trips.n; i++) {
        const struct trip_key *key = map_key(&profile->trips.keys, i);
        const struct sums *sums = &profile->trips.at[i];
        const struct image *image = lasting_image(scene, key->module);
        struct instruction head;
        if (!image)
            verdict->skipped++;
        else if (!decodes(image, key->head.v, &head))
            verification_problem(verdict, CHECK_target, "loop at 0x%" PRIx64 ": no instruction",
                                 key->head.v);
        verdict->trips += image != NULL;
        if ((u128)sums->count * key->n > sums->time ||
            (u128)sums->count * trip_bin_last(key->n) < sums->time)
            verification_problem(verdict, CHECK_sums,
                                 "runs of %" PRIu64 " iterations of the loop at 0x%" PRIx64
                                 " have %.1f",
                                 key->n, key->head.v, (double)sums->time / (double)sums->count);
    }
}

/* ---- all */

void verify_profile(struct verification *verdict, struct scene *scene)
{
    *verdict = (struct verification){.patched = scene->sides[0]->totals.losses[LOSS_patched] != 0};
    if (scene->sides[0]->damaged)
        verification_problem(verdict, CHECK_file, "%s", scene->sides[0]->warning);
    uint64_t astray = scene->sides[0]->totals.losses[LOSS_astray];
    if (astray)
        verification_problem(verdict, CHECK_course, "%" PRIu64 " cannot follow the one before",
                             astray);
    edges_check(verdict, scene);
    ranges_check(verdict, scene);
    trips_check(verdict, scene);
    sums_check(verdict, scene->sides[0]);
    if (scene->sides[0]->mode == PROFILE_EXACT && scene->sides[0]->complete &&
        !profile_fact_find(scene->sides[0], "only") &&
        !profile_fact_find(scene->sides[0], "counts") && /* of paths: those without an end lack */
        !profile_fact_find(scene->sides[0], "carried") &&
        !profile_fact_find(scene->sides[0], "imported"))
        balance_check(verdict, scene);
    if (scene->sides[0]->mode != PROFILE_EXACT)
        stacks_check(verdict, scene);
}
