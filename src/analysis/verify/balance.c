#include "analysis/verify/balance.h"

#include "analysis/counts/labels.h"

#include <inttypes.h>

/* What meets at one address of one module. */
struct place {
    uint64_t arrivals, starts; /* edges to it; runs that start there */
    uint64_t from_system;      /* of the arrivals, those past a system call */
    uint64_t ends, departures; /* runs that end there; edges from it */
};

struct places {
    struct map keys; /* {module of the scene, address} */
    VEC(struct place);
};

static struct place *place_at(struct places *places, const struct scene *scene, uint32_t module,
                              uint64_t at)
{
    uint64_t key[2] = {scene_module(scene, 0, module), at};
    uint32_t i = map_add(&places->keys, key);
    if (i == places->n)
        *vec_push(places) = (struct place){0};
    return &places->at[i];
}

static void places_read(struct places *places, const struct scene *scene)
{
    const struct profile *profile = scene->sides[0];
    for (uint32_t i = 0; i < profile->ranges.n; i++) {
        const struct range_key *key = map_key(&profile->ranges.keys, i);
        uint64_t count = profile->ranges.at[i].count;
        place_at(places, scene, key->module, key->start.v)->starts += count;
        place_at(places, scene, key->module, key->last.v)->ends += count;
    }
    for (uint32_t i = 0; i < profile->edges.n; i++) {
        const struct edge_key *key = map_key(&profile->edges.keys, i);
        uint64_t count = profile->edges.at[i].count;
        struct place *to = place_at(places, scene, key->to_module, key->to.v);
        to->arrivals += count;
        to->from_system += key->kind == EDGE_SYSCALL ? count : 0;
        if (key->kind != EDGE_RETURN)
            place_at(places, scene, key->from_module, key->from.v)->departures += count;
    }
}

/* A process that was stopped, or still ran, when its counters were last read was on its way
 * somewhere: counts that differ are then no contradiction. */
static bool stopped(const struct scene *scene)
{
    return scene->sides[0]->totals.losses[LOSS_killed] > 0;
}

/* A program that dies of its instruction, or goes on natively from there, leaves the exact run
 * behind an arrival: once each time that it leaves. A handler that does not return leaves the place
 * that its signal interrupted. And a thread that is killed because another ends the process is
 * between two counters, at most once. */
static bool left_there(struct verification *verdict, const struct scene *scene, uint64_t lost)
{
    const uint64_t *losses = scene->sides[0]->totals.losses;
    if (verdict->left + lost >
        losses[LOSS_exact_left] + losses[LOSS_cut_off] + losses[LOSS_abandoned])
        return false;
    verdict->left += lost;
    return true;
}

/* A system call is recorded as it is made, and some do not come back: exit, execve, sigreturn. */
static void arrivals_check(struct verification *verdict, const struct scene *scene,
                           const char *where, const struct place *place)
{
    uint64_t lost = place->arrivals > place->starts ? place->arrivals - place->starts : 0;
    if (lost && (lost <= place->from_system || stopped(scene) || left_there(verdict, scene, lost)))
        verdict->open += lost;
    else if (place->arrivals != place->starts && !stopped(scene))
        verification_problem(verdict, CHECK_arrivals, "%s: %" PRIu64 " arrivals, %" PRIu64 " runs",
                             where, place->arrivals, place->starts);
}

/* A run may end without an edge: a return's is kept at its target only, a trap has none, and a
 * plain instruction without any edge stands before one that ran natively, or was the last of all.
 */
static void departures_check(struct verification *verdict, const struct scene *scene,
                             const char *where, const struct binary *binary, struct svma at,
                             const struct place *place)
{
    struct instruction last = {0};
    uint64_t missing = place->ends > place->departures ? place->ends - place->departures : 0;
    if (place->ends == place->departures || !disasm_at(&binary->image, at, &last))
        return;
    if (last.kind == INSTRUCTION_RETURN && !place->departures)
        verdict->returns += missing;
    else if (last.kind == INSTRUCTION_TRAP ||
             (last.kind == INSTRUCTION_PLAIN && !place->departures) || stopped(scene) ||
             (missing && left_there(verdict, scene, missing)))
        verdict->open += missing;
    else
        verification_problem(verdict, CHECK_departures,
                             "%s: %" PRIu64 " runs, %" PRIu64 " departures", where, place->ends,
                             place->departures);
}

static void place_check(struct verification *verdict, struct scene *scene, const uint64_t *key,
                        const struct place *place)
{
    uint32_t module = (uint32_t)key[0];
    const char *where = address_text(scene, module, key[1]);
    verdict->places++;
    arrivals_check(verdict, scene, where, place);
    departures_check(verdict, scene, where, scene->modules.at[module].binary, (struct svma){key[1]},
                     place);
}

void balance_check(struct verification *verdict, struct scene *scene)
{
    struct places places = {0};
    map_init(&places.keys, 2 * sizeof(uint64_t));
    places_read(&places, scene);
    for (uint32_t i = 0; i < places.n; i++) {
        const uint64_t *key = map_key(&places.keys, i);
        if (key[0] < scene->modules.n && scene->modules.at[key[0]].binary)
            place_check(verdict, scene, key, &places.at[i]);
    }
    map_release(&places.keys);
    vec_release(&places);
}
