#include "lab/paths/apportion.h"

#include "analysis/counts/scene.h"
#include "base/err.h"
#include "lab/paths/call_graph.h"
#include "lab/paths/call_records.h"
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>

enum { SHOWN = 5 };             /* arcs of a recording */
static const double OFF = 0.01; /* of all instructions: what misleads, and what is looked at */

static double off_by(const struct call_arc *arc)
{
    return fabs(arc->given - arc->measured);
}

static int worst_first(const void *a, const void *b)
{
    const struct call_arc *x = a, *y = b;
    double one = off_by(x), other = off_by(y);
    if (one < other || one > other)
        return one < other ? 1 : -1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static const char *name_of(const struct lab_recording *recording, const struct call_graph *graph,
                           uint32_t function)
{
    const struct call_function *of = map_key(&graph->functions, function);
    if (of->module == MODULE_NONE)
        return "?";
    return scene_readable(recording->scene,
                          scene_function_name(recording->scene, of->module, of->function));
}

static void arc_row(struct lab_rows *rows, const struct lab_recording *recording,
                    const struct call_graph *graph, const struct call_arc *arc)
{
    struct lab_row *row = lab_row_add(rows);
    double entries = graph->nodes.at[arc->to].entries;
    lab_text(row, lab_file_name(recording->file));
    lab_text(row, name_of(recording, graph, arc->from));
    lab_text(row, name_of(recording, graph, arc->to));
    lab_cell(row, "%.0f", arc->calls);
    lab_share(row, arc->calls, entries);
    lab_share(row, arc->given, graph->instructions);
    lab_share(row, arc->measured, graph->instructions);
}

/* Of arcs that matter: how many are wrong, and by how much. One to a function without another
 * caller has what was given wrongly below that. */
struct apportioned {
    double arcs, wrong, most;
};

static struct apportioned arcs_judge(const struct call_graph *graph)
{
    struct apportioned sum = {0};
    for (size_t i = 0; i < graph->arcs.n; i++) {
        const struct call_arc *arc = &graph->arcs.at[i];
        double least = OFF * graph->instructions;
        if (arc->circle || fmax(arc->given, arc->measured) < least)
            continue;
        sum.arcs++;
        sum.wrong += off_by(arc) >= least;
        sum.most = fmax(sum.most, 100 * off_by(arc) / graph->instructions);
    }
    return sum;
}

static void recording_fill(struct lab_rows *rows, const struct lab_recording *recording)
{
    struct call_graph graph;
    call_graph_make(&graph, recording);
    struct apportioned sum = arcs_judge(&graph);
    if (graph.arcs.n)
        qsort(graph.arcs.at, graph.arcs.n, sizeof *graph.arcs.at, worst_first);
    for (size_t i = 0, shown = 0; i < graph.arcs.n && shown < SHOWN; i++) {
        const struct call_arc *arc = &graph.arcs.at[i];
        if (arc->circle || off_by(arc) < OFF / 10 * graph.instructions)
            continue;
        arc_row(rows, recording, &graph, arc);
        shown++;
    }
    lab_claim(rows,
              "%s: giving time to callers in proportion to their calls misleads: %s: of %.0f calls "
              "with 1 %% of all instructions %.0f are off by a point or more, at most by %.1f",
              lab_file_name(recording->file), sum.wrong > 0 ? "holds" : "does not hold", sum.arcs,
              sum.wrong, sum.most);
    call_graph_release(&graph);
}

static bool has_instructions(const struct stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->cells.n; i++)
        if (((const struct stack_cell *)map_key(&stacks->cells, i))->group == STACK_INSTRUCTIONS)
            return true;
    return false;
}

static bool apportion_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                           struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].profile->mode != PROFILE_EXACT || !has_instructions(&all[i].profile->stacks))
            return err_set(err, ERR_FORMAT,
                           "%s: has no instructions in contexts; gait record "
                           "--exact=trace+contexts has them",
                           all[i].file);
    for (size_t i = 0; i < n; i++)
        recording_fill(rows, &all[i]);
    return true;
}

static const char *const columns[] = {"recording",   "caller", "callee",   "calls",
                                      "of callee's", "gprof",  "measured", NULL};
const struct lab_table lab_apportion = {
    .name = "paths-gprof",
    .title = "what callees and all below them took for a caller, of all instructions: in "
             "proportion to calls, as gprof says, and measured in contexts; the worst",
    .columns = columns,
    .recordings = apportion_fill};
