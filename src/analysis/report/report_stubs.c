#include "analysis/report/report_parts.h"

#include "analysis/report/stub_targets.h"

/* A call goes to where its stub leads; that the stub then jumps there says nothing new. */
static void calls_fold(struct report *report, const struct stub_targets *stubs)
{
    struct scene *scene = report->scene;
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        struct report_row *row = &report->at[i];
        if (stub_target(stubs, row->module, row->function))
            continue;
        function_id callee = scene_function_at(scene, row->to_module, row->to);
        const struct stub_target *target = stub_target(stubs, row->to_module, callee);
        if (target) {
            row->to_module = target->module;
            row->to = target->at;
            row->to_name = scene_function_name(
                scene, target->module, scene_function_at(scene, target->module, target->at));
        }
        report->at[n++] = *row;
    }
    report->n = n;
}

/* Without jumps, by its name: that of a function of another module. */
static struct report_row *row_named_as(struct report *report, const struct report_row *stub)
{
    for (size_t i = 0; i < report->n; i++) {
        struct report_row *row = &report->at[i];
        if (!row->kernel && row->module != stub->module && stub_is_of(stub->name, row->name))
            return row;
    }
    return NULL;
}

static struct report_row *row_of_target(struct report *report, const struct stub_targets *stubs,
                                        const struct report_row *stub)
{
    const struct stub_target *target = stub_target(stubs, stub->module, stub->function);
    if (!target)
        return row_named_as(report, stub);
    function_id function = scene_function_at(report->scene, target->module, target->at);
    for (size_t i = 0; i < report->n; i++)
        if (report->at[i].module == target->module && report->at[i].function == function)
            return &report->at[i];
    return NULL;
}

/* The report's own rows of stacks, which may be added to. */
static struct plain_row *stacks_of(struct report *report, const struct plain_row *row)
{
    return row ? &report->plain_rows.at[row - report->plain_rows.at] : NULL;
}

static void stacks_fold(struct plain_row *to, const struct plain_row *from)
{
    if (!to || !from)
        return;
    groups_merge(&to->self, &from->self);
    groups_merge(&to->total, &from->total);
    groups_merge(&to->beside, &from->beside);
}

static void functions_fold(struct report *report, const struct stub_targets *stubs)
{
    bool *folded = mem_alloc((report->n + 1) * sizeof *folded);
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        const struct report_row *stub = &report->at[i];
        if (!function_is_stub(report->scene, stub->module, stub->function))
            continue;
        struct report_row *row = row_of_target(report, stubs, stub);
        if (!row)
            continue;
        quantity_add(&row->body, &stub->body);
        stacks_fold(stacks_of(report, row->plain), stub->plain);
        stacks_fold(stacks_of(report, row->below), stub->below);
        folded[i] = true;
    }
    for (size_t i = 0; i < report->n; i++)
        if (!folded[i])
            report->at[n++] = report->at[i];
    report->n = n;
    mem_free(folded);
}

void report_fold_stubs(struct report *report)
{
    struct stub_targets stubs;
    if (report->by != BY_FUNCTION && report->by != BY_CALL)
        return;
    stub_targets_find(&stubs, report->scene, 0);
    if (report->by == BY_CALL)
        calls_fold(report, &stubs);
    else
        functions_fold(report, &stubs);
    stub_targets_release(&stubs);
}
