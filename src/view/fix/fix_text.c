#include "view/views.h"

#include "analysis/fix/fix.h"
#include "text/ink.h"
#include "view/head.h"
#include "view/place_text.h"

#include <string.h>

struct page {
    FILE *to;
    const struct fixes *fixes;
    const struct ink *ink;
    struct place_text text;
};

static void sketch_print(const struct page *page, const char *sketch)
{
    for (const char *line = sketch; line && *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(page->to, "          %s%.*s%s\n", ink_begin(page->ink, INK_SOURCE), (int)n, line,
                ink_end(page->ink, INK_SOURCE));
        line += n + (line[n] == '\n');
    }
}

static void row_print(struct page *page, const struct fix_row *row)
{
    struct scene *scene = page->fixes->scene;
    function_id function = scene_function_at(scene, row->module, row->at);
    fprintf(page->to, "%s%6.2f%%%s  %-10s  %s%s%s  %s  %s\n", ink_begin(page->ink, INK_HEAD),
            100 * row->weight, ink_end(page->ink, INK_HEAD), fix_kind_name(row->kind),
            ink_begin(page->ink, INK_NAME),
            name_text(scene, scene_function_name(scene, row->module, function)),
            ink_end(page->ink, INK_NAME), line_text(scene, row->module, row->at),
            address_text(scene, row->module, row->at));
    const char *source = place_source(&page->text, row->module, row->at);
    if (*source)
        fprintf(page->to, "      %s%s%s\n", ink_begin(page->ink, INK_SOURCE),
                place_brief(&page->text, source), ink_end(page->ink, INK_SOURCE));
    fprintf(page->to, "      %s\n      fix: %s\n", row->evidence, row->text);
    sketch_print(page, row->sketch);
}

void fixes_text(FILE *to, const struct fixes *fixes, const struct ink *ink, size_t limit)
{
    struct page page = {.to = to, .fixes = fixes, .ink = ink};
    const struct profile *profile = fixes->scene->sides[0];
    size_t shown = 0;
    place_text_begin(&page.text, fixes->scene);
    head_text(to, fixes->scene, 0);
    fprintf(to, "what to do, by how much of the program the function or loop is: the most that it "
                "can bring; gait whatif says what some changes would bring\n");
    if (!profile->values.n)
        fprintf(to, "no values were recorded: divisors, arguments and sizes need gait record "
                    "--events edge,call,stack,value,argument\n");
    fputc('\n', to);
    for (; shown < fixes->n && shown < limit; shown++)
        row_print(&page, &fixes->at[shown]);
    if (!fixes->n)
        fprintf(to, "nothing to fix was found\n");
    shown_text(to, shown, fixes->n, "fixes");
    losses_text(to, fixes->scene, 0, 0);
    place_text_end(&page.text);
}
