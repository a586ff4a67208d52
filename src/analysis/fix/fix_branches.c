/* Branches that usually jump over what follows: tell the compiler which way is rare. */
#include "analysis/fix/fix.h"

#include "analysis/counts/labels.h"

#include <string.h>

static const double USUAL = 0.9;

struct branch {
    uint32_t module; /* of the scene */
    uint64_t at, target;
    struct sums taken, fallen;
};

struct branches {
    struct map keys;
    VEC(struct branch);
};

static void edge_take(struct branches *branches, const struct scene *scene,
                      const struct edge_key *key, const struct sums *sums)
{
    uint32_t module = scene_module(scene, 0, key->from_module);
    const uint64_t place[] = {module, key->from.v};
    if (module == MODULE_NONE || (key->kind != EDGE_TAKEN && key->kind != EDGE_FALL))
        return;
    uint32_t n = branches->keys.n, index = map_add(&branches->keys, place);
    if (index == n)
        *vec_push(branches) = (struct branch){.module = module, .at = key->from.v};
    struct branch *branch = &branches->at[index];
    if (key->kind == EDGE_TAKEN && key->to_module == key->from_module)
        branch->target = key->to.v;
    sums_add(key->kind == EDGE_TAKEN ? &branch->taken : &branch->fallen, sums);
}

static void branch_add(struct fixes *fixes, const struct branch *branch)
{
    struct scene *scene = fixes->scene;
    const struct profile *profile = scene->sides[0];
    bool forward = branch->target > branch->at;
    if (!forward || !branch->taken.count ||
        scene_function_at(scene, branch->module, branch->at) !=
            scene_function_at(scene, branch->module, branch->target))
        return;
    struct estimate taken = estimate_taken(profile, &branch->taken, &branch->fallen);
    /* Without an interval, the share itself. */
    if (!(taken.value > USUAL) || taken.lo < USUAL * USUAL)
        return;
    const char *line = line_text(scene, branch->module, branch->at);
    fixes_add(fixes,
              (struct fix_row){
                  .kind = FIX_BRANCH,
                  .module = branch->module,
                  .at = branch->at,
                  .weight = fixes_weight(fixes, branch->module, branch->at),
                  .evidence = arena_format(&scene->arena,
                                           "jumps over what follows in %.1f %% of executions",
                                           100 * taken.value),
                  .text = "mark what follows as rare, so that the compiler puts it elsewhere "
                          "and the usual way runs straight on; gait optimize does that for "
                          "all branches at once",
                  .sketch = arena_format(
                      &scene->arena,
                      "if (__builtin_expect(CONDITION, 0)) /* %s, the way that is rarely "
                      "gone */\nif (CONDITION) [[unlikely]] /* C++20, C23 */",
                      *line ? line : "there")});
}

void fixes_branches(struct fixes *fixes)
{
    const struct table *edges = &fixes->scene->sides[0]->edges;
    struct branches branches = {0};
    map_init(&branches.keys, 2 * sizeof(uint64_t));
    for (uint32_t i = 0; i < edges->n; i++)
        edge_take(&branches, fixes->scene, map_key(&edges->keys, i), &edges->at[i]);
    for (size_t i = 0; i < branches.n; i++)
        branch_add(fixes, &branches.at[i]);
    map_release(&branches.keys);
    vec_release(&branches);
}
