#include "analysis/loops/loop_view.h"

#include "base/phase.h"

#include <stdlib.h>

static int by_share(const void *a, const void *b, void *of)
{
    const struct loop_row *rows = of;
    const struct loop_row *x = &rows[*(const uint32_t *)a], *y = &rows[*(const uint32_t *)b];
    if (x->share.value != y->share.value)
        return x->share.value > y->share.value ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return x->head < y->head ? -1 : x->head > y->head;
}

void loop_view_make(struct loop_view *view, struct scene *scene)
{
    const struct windows *windows = &scene->sides[0]->windows;
    *view = (struct loop_view){.scene = scene, .windows = windows->n};
    window_code_init(&view->code, scene);
    loop_fold_init(&view->fold, &view->code, windows);
    phase_set("reading windows of", "loops");
    for (size_t i = 0; i < windows->n; i++) {
        loop_fold_window(&view->fold, i);
        phase_parts(i + 1, windows->n);
    }
    loop_fold_settle(&view->fold);
    view->addressed = view->fold.addressed;
    for (uint32_t i = 0; i < view->fold.rows.n; i++) {
        const struct loop_row *row = &view->fold.rows.at[i];
        if (scene_place_wanted(scene, row->module, row->head))
            *vec_push(&view->order) = i;
    }
    if (view->order.n)
        qsort_r(view->order.at, view->order.n, sizeof *view->order.at, by_share,
                view->fold.rows.at);
}

void loop_view_release(struct loop_view *view)
{
    loop_fold_release(&view->fold);
    window_code_release(&view->code);
    vec_release(&view->order);
}
