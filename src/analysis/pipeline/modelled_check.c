#include "analysis/pipeline/modelled_check.h"

#include "analysis/counts/items.h"
#include "analysis/counts/labels.h"
#include "analysis/pipeline/modelled.h"

struct line {
    const char *line, *function;
    struct quantity measured;
    double modelled;
};
struct lines_met {
    struct map keys;
    VEC(struct line);
};

static struct line *line_of(struct lines_met *lines, struct scene *scene, uint32_t module,
                            uint64_t at)
{
    const char *text = intern_text(&scene->names, line_text(scene, module, at));
    uint64_t key = (uintptr_t)text;
    uint32_t index = map_add(&lines->keys, &key);
    if (index == lines->n)
        *vec_push(lines) = (struct line){.line = text, .function = ""};
    return &lines->at[index];
}

static void lines_fill(struct lines_met *lines, const struct modelled *modelled)
{
    struct scene *scene = modelled->scene;
    struct items items;
    items_list(&items, scene, BY_LINE);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        struct line *line = line_of(lines, scene, item->module, item->at);
        line->function = scene_function_name(scene, item->module, item->function);
        quantity_add(&line->measured, &item->body[0]);
    }
    items_release(&items);
    for (size_t i = 0; i < modelled->n; i++) {
        const struct modelled_row *row = &modelled->at[i];
        uint32_t module = scene_module(scene, 0, row->module);
        line_of(lines, scene, module, row->at)->modelled += modelled_share(modelled, row).value;
    }
}

bool modelled_strays(const struct modelled *modelled, struct modelled_stray *ret_stray)
{
    const double much = 0.1; /* less is not worth a warning */
    const struct profile *profile = modelled->scene->sides[0];
    struct lines_met lines = {0};
    bool strays = false;
    if (profile->mode != PROFILE_SAMPLED || modelled->groups < 2)
        return false;
    map_init(&lines.keys, sizeof(uint64_t));
    lines_fill(&lines, modelled);
    const struct line *most = NULL;
    for (size_t i = 0; i < lines.n; i++)
        if (*lines.at[i].line && (!most || lines.at[i].measured.time > most->measured.time))
            most = &lines.at[i];
    if (most) {
        struct estimate share = estimate_share(profile, &most->measured, true);
        strays = share.lo > much && share.lo > 2 * most->modelled;
        if (strays)
            *ret_stray = (struct modelled_stray){.line = most->line,
                                                 .function = most->function,
                                                 .measured = share,
                                                 .modelled = most->modelled};
    }
    vec_release(&lines);
    map_release(&lines.keys);
    return strays;
}
