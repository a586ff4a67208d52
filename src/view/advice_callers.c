#include "view/advice_say.h"

/* Weight of the function's outermost frames by who called them. */
static void callers_add(const struct plain *plain, uint32_t function, struct groups *callers,
                        struct groups *all)
{
    const struct stacks *stacks = &plain->profile->stacks;
    for (uint32_t i = 0; i < stacks->cells.n; i++) {
        const struct stack_cell *cell = map_key(&stacks->cells, i);
        uint32_t caller = PLAIN_NONE;
        bool found = false;
        if (!(plain->flags[cell->node] & PLAIN_KEPT) ||
            plain->filter.kernel != !!(plain->flags[cell->node] & PLAIN_KERNEL))
            continue;
        for (uint32_t node = cell->node; plain->parent_of[node] != STACK_NONE;
             node = plain->parent_of[node])
            if (plain->function_of[node] == function) {
                caller = plain->function_of[plain->parent_of[node]];
                found = true;
            }
        if (!found)
            continue;
        groups_add(all, cell->group, stacks->weights.at[i]);
        if (caller != PLAIN_NONE)
            groups_add(&callers[caller], cell->group, stacks->weights.at[i]);
    }
}

/* One caller that stands behind nearly all of a hot function, which has more than one. */
static void advise_stacks(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    if (!report->has_plain || report->by != BY_FUNCTION || !report->n)
        return;
    const struct plain *plain = &report->plain;
    const struct report_row *hot = &report->at[0];
    if (hot->kernel || !(report_share(report, hot).lo > 0.05))
        return;
    struct groups *callers = mem_alloc((plain->functions.n + 1) * sizeof *callers), all = {0};
    callers_add(plain, hot->plain->function, callers, &all);
    size_t most = 0, n = 0;
    for (size_t i = 0; i < plain->functions.n; i++) {
        n += callers[i].sum > 0;
        if (callers[i].sum > callers[most].sum)
            most = i;
    }
    struct estimate share = groups_share(&callers[most], &all, plain->sample_weight);
    if (n > 1 && share.lo > 0.8)
        advise(adviser,
               "%s and its callees: %s of their time comes from calls by %s|gait report "
               "--callers-of %s",
               advice_name(report, hot), advice_share(share),
               name_text(report->scene, plain->functions.at[most].name),
               advice_function(report, hot->name));
    mem_free(callers);
}

struct caller {
    uint32_t module;
    function_id function;
    struct quantity calls;
};
struct callers {
    VEC(struct caller);
};

static void callers_count(const struct report *report, const struct report_row *hot,
                          struct callers *callers, struct quantity *all)
{
    const struct scene *scene = report->scene;
    struct items items;
    items_list(&items, scene, BY_CALL);
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.at[i];
        if (item->to_module != hot->module || item->to != hot->at)
            continue;
        struct caller *last = callers->n ? &callers->at[callers->n - 1] : NULL;
        if (!last || last->module != item->module || last->function != item->function) {
            last = vec_push(callers); /* items stand by module and function */
            last->module = item->module;
            last->function = item->function;
        }
        quantity_add(&last->calls, &item->count[0]);
        quantity_add(all, &item->count[0]);
    }
    items_release(&items);
}

/* The same of what was walked: by calls, since stacks are not known. */
static void advise_calls(struct adviser *adviser)
{
    const struct report *report = adviser->report;
    struct scene *scene = report->scene;
    bool filtered = scene->only_module || scene->only_function;
    if (report->has_plain || report->by != BY_FUNCTION || !report->n || filtered ||
        report->at[0].kernel || report->at[0].function == FUNCTION_NONE)
        return;
    const struct report_row *hot = &report->at[0];
    struct callers callers = {0};
    struct quantity all = {0};
    callers_count(report, hot, &callers, &all);
    const struct caller *most = NULL;
    for (size_t i = 0; i < callers.n; i++)
        if (!most || callers.at[i].calls.count > most->calls.count)
            most = &callers.at[i];
    if (most && callers.n > 1) {
        struct quantity rest = all;
        quantity_subtract(&rest, &most->calls);
        const char *name = scene_function_name(scene, most->module, most->function);
        struct estimate share = estimate_part(scene->sides[0], &most->calls, &rest);
        if (share.lo > 0.8)
            advise(adviser, "of the calls to %s, %s come from %s|gait report --callers-of %s",
                   advice_name(report, hot), advice_share(share), name_text(scene, name),
                   advice_function(report, hot->name));
    }
    vec_release(&callers);
}

void advise_callers(struct adviser *adviser)
{
    advise_stacks(adviser);
    advise_calls(adviser);
}
