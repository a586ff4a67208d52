/* Calls that the model of the core says are worth to be inlined. */
#include "analysis/fix/fix.h"

#include "analysis/counts/labels.h"
#include "analysis/whatif/whatif.h"
#include "base/err.h"

#include <math.h>

enum { TRIES = 24, WINDOWS = 32 };
static const double WORTH = 0.002; /* of the CPU time, as it is predicted */

/* The most frequent direct call there; NULL: none was counted. */
static const struct edge_key *call_find(const struct scene *scene, uint32_t module, uint64_t at)
{
    const struct table *edges = &scene->sides[0]->edges;
    const struct edge_key *found = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < edges->n; i++) {
        const struct edge_key *key = map_key(&edges->keys, i);
        if (key->kind != EDGE_CALL || key->from.v != at || edges->at[i].count <= most ||
            scene_module(scene, 0, key->from_module) != module)
            continue;
        most = edges->at[i].count;
        found = key;
    }
    return found;
}

static void inline_add(struct fixes *fixes, const struct whatif_row *row)
{
    struct scene *scene = fixes->scene;
    const struct estimate *gain = &row->gain;
    uint64_t at = row->candidate.place;
    const struct edge_key *call = call_find(scene, row->module, at);
    uint32_t to = call ? scene_module(scene, 0, call->to_module) : MODULE_NONE;
    function_id callee =
        to == MODULE_NONE ? FUNCTION_NONE : scene_function_at(scene, to, call->to.v);
    if (!(gain->value > WORTH) || isnan(gain->lo) || callee == FUNCTION_NONE ||
        (to == row->module && callee == scene_function_at(scene, to, at)))
        return;
    const char *name =
        arena_format(&scene->arena, "%s", name_text(scene, scene_function_name(scene, to, callee)));
    fixes_add(fixes,
              (struct fix_row){
                  .kind = FIX_INLINE,
                  .module = row->module,
                  .at = at,
                  .weight = fixes_weight(fixes, row->module, at),
                  .evidence = arena_format(&scene->arena,
                                           "calls %s; without the call %.1f %% of the CPU time "
                                           "less (%.1f to %.1f), as a model predicts",
                                           name, 100 * gain->value, 100 * gain->lo, 100 * gain->hi),
                  .text = "let the compiler inline it: its body where this file sees it (static "
                          "inline in a header, -flto); in a library, a variant that the header "
                          "inlines, such as getc_unlocked",
                  .sketch = arena_format(&scene->arena,
                                         "static inline __attribute__((always_inline)) ... "
                                         "%s(...) { /* body */ }",
                                         name)});
}

void fixes_inline(struct fixes *fixes)
{
    const struct whatif_asked asked = {.kinds_set = true,
                                       .kind = WHATIF_INLINE,
                                       .tries = TRIES,
                                       .windows = WINDOWS,
                                       .quick = true};
    const struct profile *profile = fixes->scene->sides[0];
    struct whatif whatif;
    struct err err;
    if (profile->mode != PROFILE_SAMPLED || !modelled_has(profile) ||
        !whatif_make(&whatif, fixes->scene, &asked, &err))
        return;
    for (size_t i = 0; i < whatif.n; i++)
        inline_add(fixes, &whatif.at[i]);
    whatif_release(&whatif);
}
