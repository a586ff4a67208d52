#include "view/verify.h"

#include "view/balance.h"
#include "view/head.h"
#include "view/verify_plain.h"

#include <inttypes.h>
#include <stdarg.h>

static const struct {
    const char *name, *text;
} checks[] = {
#define CHECK_NAME(name, text) {#name, text},
    CHECKS(CHECK_NAME)
#undef CHECK_NAME
};

const char *verify_check_name(enum verify_check check)
{
    return checks[check].name;
}

const char *verify_check_text(enum verify_check check)
{
    return checks[check].text;
}

void verification_problem(struct verification *verdict, enum verify_check check, const char *format,
                          ...)
{
    if (verdict->found[check]++ >= PROBLEMS_SHOWN)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *vec_push(verdict) = (struct problem){check, arena_string(&verdict->arena, text)};
}

static bool decodes(const struct image *image, uint64_t at, struct instruction *ret)
{
    return image_executable(image, (struct svma){at}) && disasm_at(image, (struct svma){at}, ret);
}

/* ---- edges */

static bool edge_possible(const struct instruction *from, const struct edge_key *key)
{
    bool to_next = key->to == instruction_next(from).v && key->from_module == key->to_module;
    bool to_target = key->to == from->target.v && key->from_module == key->to_module;
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
    const struct image *from = scene_image(scene, 0, key->from_module);
    const struct image *to = scene_image(scene, 0, key->to_module);
    bool has_from = key->kind != EDGE_RETURN;
    if (!to || (has_from && !from)) {
        verdict->skipped++;
        return;
    }
    verdict->edges++;
    const char *start = has_from ? address_text(scene, from_module, key->from) : "(return)";
    const char *end = address_text(scene, to_module, key->to);
    const char *kind = edge_kind_name((enum edge_kind)key->kind);
    if (has_from && (!decodes(from, key->from, &instruction) || !edge_possible(&instruction, key)))
        verification_problem(verdict, CHECK_edge, "%s -> %s, %s", start, end, kind);
    if (!decodes(to, key->to, &instruction))
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
    struct instruction instruction = {.at = {key->start}};
    for (uint32_t i = 0; i < key->instructions; i++) {
        struct svma at = i ? instruction_next(&instruction) : (struct svma){key->start};
        if (i && instruction.kind != INSTRUCTION_PLAIN)
            return "goes on behind a branch, call or system call";
        if (!decodes(image, at.v, &instruction))
            return "does not decode";
    }
    return instruction.at.v == key->last ? NULL : "has another number of instructions";
}

static void ranges_check(struct verification *verdict, struct scene *scene)
{
    const struct table *ranges = &scene->sides[0]->ranges;
    for (uint32_t i = 0; i < ranges->n; i++) {
        const struct range_key *key = map_key(&ranges->keys, i);
        const struct image *image = scene_image(scene, 0, key->module);
        if (!image) {
            verdict->skipped++;
            continue;
        }
        verdict->ranges++;
        const char *fault = range_fault(image, key);
        if (fault)
            verification_problem(
                verdict, CHECK_range, "%s to 0x%" PRIx64 ", %u instructions: %s",
                address_text(scene, scene_module(scene, 0, key->module), key->start), key->last,
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
            const uint64_t place[2] = {key->from_module, key->from};
            uint32_t at = map_add(&places, place);
            if (at == both.n)
                *vec_push(&both) = 0;
            if (!pass)
                both.at[at] += sums->count;
            else if (key->kind == EDGE_FALL && sums->time != both.at[at])
                verification_problem(verdict, CHECK_sums,
                                     "branch at 0x%" PRIx64 ": its ways weigh %" PRIu64
                                     ", both together %" PRIu64,
                                     key->from, both.at[at], sums->time);
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
        const struct image *image = scene_image(scene, 0, key->module);
        struct instruction head;
        if (!image)
            verdict->skipped++;
        else if (!decodes(image, key->head, &head))
            verification_problem(verdict, CHECK_target, "loop at 0x%" PRIx64 ": no instruction",
                                 key->head);
        verdict->trips += image != NULL;
        if ((u128)sums->count * key->n > sums->time ||
            (u128)sums->count * trip_bin_last(key->n) < sums->time)
            verification_problem(verdict, CHECK_sums,
                                 "runs of %" PRIu64 " iterations of the loop at 0x%" PRIx64
                                 " have %.1f",
                                 key->n, key->head, (double)sums->time / (double)sums->count);
    }
}

/* ---- all */

void verify_profile(struct verification *verdict, struct scene *scene)
{
    *verdict = (struct verification){0};
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

void verification_release(struct verification *verdict)
{
    vec_release(verdict);
    arena_release(&verdict->arena);
}

bool verification_good(const struct verification *verdict)
{
    for (int i = 0; i < CHECK_N; i++)
        if (verdict->found[i])
            return false;
    return true;
}

void verify_text(FILE *to, const struct scene *scene, const struct verification *verdict)
{
    head_text(to, scene, 0);
    if (scene->sides[0]->mode == PROFILE_PLAIN)
        fprintf(to, "checked %" PRIu64 " nodes of stacks", verdict->nodes);
    else
        fprintf(to,
                "checked %" PRIu64 " edges, %" PRIu64 " ranges, %" PRIu64 " places, %" PRIu64
                " lengths of loops",
                verdict->edges, verdict->ranges, verdict->places, verdict->trips);
    if (scene->sides[0]->mode == PROFILE_SAMPLED)
        fprintf(to, ", %" PRIu64 " nodes of stacks", verdict->nodes);
    fprintf(to, "; skipped %" PRIu64 " records without a binary\n", verdict->skipped);
    if (scene->sides[0]->mode == PROFILE_EXACT)
        fprintf(to, "%" PRIu64 " returns, %" PRIu64 " passages out of what is recorded\n",
                verdict->returns, verdict->open);
    for (int check = 0; check < CHECK_N; check++) {
        if (!verdict->found[check])
            continue;
        fprintf(to, "%" PRIu64 " x %s\n", verdict->found[check],
                verify_check_text((enum verify_check)check));
        for (size_t i = 0; i < verdict->n; i++)
            if (verdict->at[i].check == (enum verify_check)check)
                fprintf(to, "    %s\n", verdict->at[i].text);
    }
    losses_text(to, scene, 0, 0);
    bool empty = !verdict->edges && !verdict->ranges && !verdict->places && !verdict->nodes;
    fputs(!verification_good(verdict) ? "BAD\n"
          : empty                     ? "nothing to check: no record of code that has a binary\n"
                                      : "good\n",
          to);
}

void verify_json(FILE *to, const struct scene *scene, const struct verification *verdict)
{
    struct json json;
    json_begin(&json, to);
    head_json(&json, "verify", scene, 0, BY_EDGE, WEIGHT_COUNT, 0);
    json_bool(&json, "good", verification_good(verdict));
    json_object(&json, "checked");
    json_integer(&json, "edges", verdict->edges);
    json_integer(&json, "ranges", verdict->ranges);
    json_integer(&json, "places", verdict->places);
    json_integer(&json, "trips", verdict->trips);
    json_integer(&json, "nodes", verdict->nodes);
    json_integer(&json, "skipped", verdict->skipped);
    json_integer(&json, "returns", verdict->returns);
    json_integer(&json, "open", verdict->open);
    json_object_end(&json);
    json_array(&json, "rows");
    for (int check = 0; check < CHECK_N; check++) {
        json_object(&json, NULL);
        json_string(&json, "check", verify_check_name((enum verify_check)check));
        json_integer(&json, "count", verdict->found[check]);
        json_array(&json, "examples");
        for (size_t i = 0; i < verdict->n; i++)
            if (verdict->at[i].check == (enum verify_check)check)
                json_string(&json, NULL, verdict->at[i].text);
        json_array_end(&json);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_end(&json);
}
