#include "view/views.h"

#include "analysis/paths/hot_paths.h"

#include "analysis/counts/code_owner.h"
#include "view/head.h"
#include "text/sheet.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCKS_SHOWN = 12, LINES_SHOWN = 8 };

static const char *kind_text(uint32_t kind)
{
    bool entry = kind & HOT_PATH_ENTRY, exit = kind & HOT_PATH_EXIT;
    if (entry)
        return exit ? "whole" : "entry";
    return exit ? "exit" : "loop";
}

static void blocks_print(FILE *to, const struct hot_path *path)
{
    fprintf(to, "      blocks");
    for (uint32_t i = 0; i < path->n_blocks; i++) {
        if (i == BLOCKS_SHOWN - 1 && path->n_blocks > BLOCKS_SHOWN) {
            fprintf(to, " ... %" PRIu32 " more", path->n_blocks - i);
            break;
        }
        fprintf(to, " 0x%" PRIx64, path->blocks[i].v);
    }
    fputc('\n', to);
}

/* Where its blocks begin in the source; one line is said once in a row. */
static void lines_print(FILE *to, const struct hot_paths *paths, const struct hot_path *path)
{
    const char *before = "";
    int n = 0;
    for (uint32_t i = 0; i < path->n_blocks && n < LINES_SHOWN; i++) {
        const char *line = line_text(paths->scene, path->module, path->blocks[i].v);
        if (!*line || !strcmp(line, before))
            continue;
        const char *colon = strrchr(line, ':'), *known = strrchr(before, ':');
        bool same = colon && known && colon - line == known - before &&
                    !strncmp(line, before, (size_t)(colon - line));
        fprintf(to, "%s%s", n++ ? " " : "      lines ", same ? colon : line);
        before = line;
    }
    if (n)
        fputc('\n', to);
}

static void callers_print(FILE *to, const struct hot_paths *paths, uint32_t node)
{
    uint32_t caller = hot_path_caller(paths, node);
    if (caller == STACK_NONE)
        return;
    callers_print(to, paths, caller);
    struct stack_key place = stacks_key(&paths->contexts, caller);
    struct code_owner code =
        code_owner_find(paths->scene, paths->side, place.module, place.address);
    fprintf(to, "%s > ", name_text(paths->scene, code.linkage));
}

/* Of each passage. */
static void ticks_print(FILE *to, const struct hot_path *path, const char *event, int density)
{
    double n = (double)path->quantity.count;
    if (n <= 0)
        return;
    fprintf(to, event ? ", %.3g %s a passage" : ", %.2f %s a passage", path->ticks.value / n,
            event ? event : "ticks");
    if (path->ticks.lo < path->ticks.hi)
        fprintf(to, " (%.2f to %.2f)", path->ticks.lo / n, path->ticks.hi / n);
    if (density)
        fprintf(to, " (%s)", density > 0 ? "dense" : "sparse");
}

/* Of each passage. */
static void modelled_print(FILE *to, const struct hot_path *path)
{
    static const struct {
        enum model_cost cost;
        const char *name;
    } shown[] = {{COST_L1D, "L1 misses"},
                 {COST_MISPREDICTS, "wrong guesses"},
                 {COST_CYCLES, "cycles"},
                 {COST_STALLS, "of them stalled"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown && path->quantity.count; i++)
        fprintf(to, ", %.3g %s",
                (double)path->modelled[shown[i].cost] / (double)path->quantity.count,
                shown[i].name);
}

static void path_print(FILE *to, const struct hot_paths *paths, const struct hot_path *path,
                       const struct ink *ink)
{
    const struct profile *profile = paths->scene->sides[paths->side];
    double share = hot_path_share(paths, path);
    struct estimate count = hot_path_count(paths, path);
    enum ink_tone tone = ink_of_share(share);
    int density = hot_path_density(paths, path);
    fprintf(to, "%s%6.2f%%%s  %14s", ink_begin(ink, tone), 100 * share, ink_end(ink, tone),
            count_text(count.value, profile->mode == PROFILE_EXACT));
    if (profile->mode != PROFILE_EXACT)
        fprintf(to, " (%s to %s)", count_text(count.lo, false), count_text(count.hi, false));
    fprintf(to, " x %" PRIu32 " instructions", path->instructions);
    if (paths->has_ticks && !path->measured)
        fprintf(to, ", ticks not measured");
    else if (paths->has_ticks)
        ticks_print(to, path, paths->clock.event, density);
    if (path->measured && path->measured < path->quantity.count)
        fprintf(to, " of %" PRIu64 " measured", path->measured);
    if (paths->has_modelled)
        modelled_print(to, path);
    fprintf(to, ", %s path", kind_text(path->kind));
    for (uint32_t i = 0; i < paths->iterations; i++)
        fprintf(to, "%s%" PRIu64, i ? ", then " : " ", path->ids[i]);
    fprintf(to, " of %s%s%s [%s]\n", ink_begin(ink, INK_NAME),
            name_text(paths->scene, path->linkage), ink_end(ink, INK_NAME),
            paths->scene->modules.at[path->module].name);
    if (paths->in_contexts) {
        fprintf(to, "      in ");
        callers_print(to, paths, path->context);
        fprintf(to, "%s\n", name_text(paths->scene, path->linkage));
    }
    blocks_print(to, path);
    lines_print(to, paths, path);
}

static void names_print(FILE *to, const struct hot_paths *paths, const struct path_names *names,
                        const char *what)
{
    for (size_t i = 0; i < names->n; i++)
        fprintf(to, "%s%s", i ? ", " : what, name_text(paths->scene, names->at[i]));
    if (names->n)
        fputc('\n', to);
}

/* How well ticks are known. */
static void clock_print(const struct path_clock *clock, FILE *to)
{
    fprintf(to, "ticks: estimated from bursts of passages");
    if (clock->brief)
        fprintf(to, "; the run was too short for its CPU time to tell if they are too many\n");
    else
        fprintf(to,
                ", %.2f times the CPU time as measured; %.1f ticks are taken off each passage\n",
                clock->raw, clock->look);
    fprintf(
        to,
        "writing a passage down takes up to %.1f ticks, and as much around each call: intervals "
        "reach down by that, estimates have up to %.1f off; loads from far away overlap less "
        "meanwhile, and may seem to take longer than they do\n",
        clock->writing, clock->taken);
}

static const char *weight_text(enum path_metric metric)
{
    return metric == METRIC_INSTRUCTIONS ? "the instructions that ran along them"
           : metric == METRIC_TICKS      ? "ticks"
                                         : model_cost_names[metric - METRIC_L1D].text;
}

void hot_paths_text(FILE *to, const struct hot_paths *paths, const struct ink *ink,
                    struct hot_paths_cut cut)
{
    size_t shown = 0;
    double share = 0;
    head_text(to, paths->scene, paths->side);
    if (paths->iterations > 1)
        fprintf(to, "%" PRIu32 " in a row: each begins at any path that as many follow\n",
                paths->iterations);
    bool sampled = paths->scene->sides[paths->side]->mode == PROFILE_SAMPLED;
    const char *event = paths->metric == METRIC_TICKS ? paths->clock.event : NULL;
    fprintf(to, "paths%s, weighed by %s%s\n\n",
            paths->in_contexts ? " in each calling context" : "",
            event ? event : weight_text(paths->metric),
            sampled ? counts_text(paths->scene, paths->side, BY_PATH) : "");
    for (; shown < paths->n && shown < cut.limit; shown++) {
        if (hot_path_share(paths, &paths->at[shown]) < cut.share)
            break;
        share += hot_path_share(paths, &paths->at[shown]);
        path_print(to, paths, &paths->at[shown], ink);
    }
    fprintf(to, "\n%zu of %zu paths, %.2f%% of all; --limit and --hot show others\n", shown,
            paths->n, 100 * share);
    if (paths->has_modelled)
        fprintf(to,
                "not along whole paths: %" PRIu64 " misses in the first cache, %" PRIu64
                " wrong guesses, %" PRIu64 " cycles stalled\n",
                paths->elsewhere[0], paths->elsewhere[1], paths->elsewhere[2]);
    if (paths->clock.some)
        clock_print(&paths->clock, to);
    names_print(to, paths, &paths->cut, "more paths than can be numbered, so some end early, in: ");
    names_print(to, paths, &paths->threaded,
                "a path is one handler, of many that jump to each other, in: ");
    if (paths->unread)
        fprintf(to, "not read: paths of %s whose code is not there, or numbered otherwise now\n",
                number_text(paths->unread, "function", "functions"));
    if (paths->unknown)
        fprintf(to, "not read: %s that no path has\n",
                number_text(paths->unknown, "number", "numbers"));
    losses_text(to, paths->scene, paths->side, 0);
}
