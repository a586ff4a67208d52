#include "view/views.h"

#include "analysis/whatif/whatif.h"

#include "text/ink.h"
#include "view/head.h"
#include "view/place_text.h"

#include <inttypes.h>
#include <math.h>

static void head_print(FILE *to, const struct whatif *whatif)
{
    const struct modelled *modelled = &whatif->modelled;
    head_text(to, modelled->scene, 0);
    fprintf(to,
            "what each change would bring, of the CPU time: %" PRIu64
            " windows through a model of %s, and again with one thing changed; tried %zu of %zu "
            "places\n",
            modelled->windows, modelled->model.name, whatif->n, whatif->found);
    if (*modelled->core_why)
        fprintf(to, "core: %s\n", modelled->core_why);
    if (!modelled->addressed)
        fprintf(to, "no addresses of data were recorded, so loads are taken to hit and are not "
                    "tried; gait record --events edge,call,stack,address has them\n");
    fputc('\n', to);
}

static void row_print(FILE *to, const struct whatif *whatif, struct place_text *text,
                      const struct whatif_row *row, const struct ink *ink)
{
    struct scene *scene = whatif->modelled.scene;
    uint32_t module = row->module;
    uint64_t at = row->candidate.place;
    function_id function = scene_function_at(scene, module, at);
    fprintf(to, "%s%6.2f%%%s ", ink_begin(ink, INK_HEAD), 100 * row->gain.value,
            ink_end(ink, INK_HEAD));
    if (isnan(row->gain.lo))
        fprintf(to, "(?: seen in too few windows)");
    else
        fprintf(to, "(%.2f to %.2f)", 100 * row->gain.lo, 100 * row->gain.hi);
    fprintf(to, "  if %s\n", whatif_kind_text(row->candidate.kind));
    fprintf(to, "      %s%s%s  %s  %s  %s%s%s\n", ink_begin(ink, INK_NAME),
            name_text(scene, scene_function_name(scene, module, function)), ink_end(ink, INK_NAME),
            line_text(scene, module, at), address_text(scene, module, at),
            ink_begin(ink, INK_SOURCE), place_assembly(text, module, at), ink_end(ink, INK_SOURCE));
    const char *source = place_source(text, module, at);
    if (*source)
        fprintf(to, "      %s%s%s\n", ink_begin(ink, INK_SOURCE), place_brief(text, source),
                ink_end(ink, INK_SOURCE));
    fprintf(to, "      saves %.1f cycles each, %s times\n", row->each.value,
            count_text(row->executions, false));
}

void whatif_text(FILE *to, const struct whatif *whatif, const struct ink *ink, size_t limit)
{
    struct place_text text;
    size_t shown = 0;
    place_text_begin(&text, whatif->modelled.scene);
    head_print(to, whatif);
    for (; shown < whatif->n && shown < limit; shown++) {
        bool certain = shown && whatif->at[shown - 1].gain.lo > 0;
        if (certain && !(whatif->at[shown].gain.lo > 0))
            fprintf(to, "\nnot certain to be gains:\n");
        row_print(to, whatif, &text, &whatif->at[shown], ink);
    }
    if (!whatif->n)
        fprintf(to, "nothing to change was found\n");
    shown_text(to, shown, whatif->n, "changes");
    losses_text(to, whatif->modelled.scene, 0, 0);
    place_text_end(&text);
}
