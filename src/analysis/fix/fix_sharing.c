/* Threads that take a cache line from each other, for bytes that they do not share. */
#include "analysis/fix/fix.h"

#include "analysis/counts/labels.h"
#include "analysis/values/conflicts.h"

enum { WITHIN = 512 };

static void row_add(struct fixes *fixes, const struct conflict_row *row)
{
    struct scene *scene = fixes->scene;
    function_id function = scene_function_at(scene, row->from.module, row->from.address);
    if (row->type != CONFLICT_FALSE_SHARING)
        return;
    fixes_add(
        fixes,
        (struct fix_row){
            .kind = FIX_PADDING,
            .module = row->to.module,
            .at = row->to.address,
            .weight = fixes_weight(fixes, row->to.module, row->to.address),
            .evidence = arena_format(
                &scene->arena,
                "in %.0f %% of windows another thread uses other bytes of the line, in %s (%s)",
                100 * row->share.value,
                name_text(scene, scene_function_name(scene, row->from.module, function)),
                line_text(scene, row->from.module, row->from.address)),
            .text = "give what each thread writes a line of its own",
            .sketch = "struct { _Alignas(64) T a; _Alignas(64) T b; } /* C11; alignas(64) in C++ "
                      "*/"});
}

void fixes_sharing(struct fixes *fixes)
{
    struct conflict_view view;
    if (!fixes->scene->sides[0]->conflicts.n)
        return;
    conflict_view_make(&view, fixes->scene, WITHIN, false);
    for (size_t i = 0; i < view.n; i++)
        row_add(fixes, &view.at[i]);
    conflict_view_release(&view);
}
