#include "view/missing_text.h"

#include "text/clean.h"
#include "text/json.h"
#include "analysis/report/report.h"

#include <stdlib.h>
#include <string.h>

static bool wants_lines(const struct report *report)
{
    return report->by == BY_LINE || report->by == BY_INLINE;
}

static bool row_unnamed(const struct report *report, const struct report_row *row)
{
    const struct scene *scene = report->scene;
    if (wants_lines(report))
        return !row->file;
    if (row->kernel && !row->plain)
        return false; /* it was not sampled, which is another matter */
    if (row->module >= scene->modules.n)
        return true;
    const struct scene_module *module = &scene->modules.at[row->module];
    if (row->function == FUNCTION_NONE || !module->binary)
        return row->name == module->label; /* else the recording has a name for it */
    uint8_t source = module->binary->symbols.functions.at[row->function].source;
    return source == FUNCTION_FRAME || source == FUNCTION_GAP;
}

/* Rows that weigh are those that weigh once: of calls and edges that cannot be said. */
static bool can_say(const struct report *report)
{
    return report->by != BY_CALL && report->by != BY_EDGE;
}

static void shares_add(const struct report *report, double *shares)
{
    for (size_t i = 0; can_say(report) && i < report->n; i++) {
        const struct report_row *row = &report->at[i];
        size_t module =
            row->module < report->scene->modules.n ? row->module : report->scene->modules.n;
        double share = report_share(report, row).value;
        if (row_unnamed(report, row) && share > 0)
            shares[module] += share;
    }
}

double missing_share(const struct report *report)
{
    size_t n = report->scene->modules.n;
    double *shares = mem_alloc((n + 1) * sizeof *shares), sum = 0;
    shares_add(report, shares);
    for (size_t i = 0; i <= n; i++)
        sum += shares[i];
    mem_free(shares);
    return sum;
}

/* Who writes one, and when it is asked to. */
#define PERF_MAPS                                                                                  \
    "node --perf-prof --interpreted-frames-native-stack; java "                                    \
    "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer"

/* found: debug information of it could be had from a server. */
static const char *module_advice(const struct report *report, const struct scene_module *module,
                                 bool verbose, bool *found)
{
    const char *bad_map = profile_fact_find(report->scene->sides[0], "perf_map_bad");
    if (strcmp(module->name, "[kernel]") == 0 &&
        profile_fact_find(report->scene->sides[0], "imported"))
        return "the imported file has addresses of the kernel, but no names: where it was "
               "recorded, "
               "perf report shows them";
    if (strcmp(module->name, "[kernel]") == 0)
        return report->scene->sides[0]->mode == PROFILE_SAMPLED
                   ? "its symbols are not readable here (gait doctor), or it was recorded "
                     "elsewhere "
                     "or before a restart: a short recording has them after gait pack there"
                   : "its symbols were not readable while recording: gait doctor says what to set";
    if (strcmp(module->name, "[jit]") == 0 && bad_map)
        return arena_format(&report->scene->arena,
                            "code made at run time; of its dump or perf map: %s", bad_map);
    if (strcmp(module->name, "[jit]") == 0)
        return "code made at run time; a dump or perf map of it would name it: " PERF_MAPS;
    if (!module->binary)
        return module->missing;
    const char *missing =
        verbose ? binary_debug_missing(module->binary) : binary_debug_missing_brief(module->binary);
    *found |= missing != NULL;
    if (missing)
        return missing;
    if (module->binary->image.known && !binary_lines(module->binary)->stretches.n)
        return "its file is not here, and the profile keeps no lines of it: gait pack where it is";
    return "its symbols do not cover this code";
}

/* Less than this share is not worth a line. */
static const double matters = 0.005;

static const char *part_name(const struct report *report, size_t module)
{
    const struct scene_modules *modules = &report->scene->modules;
    return module < modules->n ? modules->at[module].name : "[unknown]";
}

static const char *part_advice(const struct report *report, size_t module, bool *found)
{
    const struct scene_modules *modules = &report->scene->modules;
    return module < modules->n
               ? module_advice(report, &modules->at[module], report->scene->verbose, found)
               : "outside of every known module";
}

void missing_text(FILE *to, const struct report *report)
{
    size_t n = report->scene->modules.n;
    double *shares = mem_alloc((n + 1) * sizeof *shares);
    struct arena *arena = &report->scene->arena;
    bool any = false, found = false, verbose = report->scene->verbose;
    shares_add(report, shares);
    for (size_t i = 0; i <= n; i++) {
        if (shares[i] < matters)
            continue;
        fprintf(to, "%s%7.2f%%  %s: %s\n",
                any                   ? ""
                : wants_lines(report) ? "\nlines that are not known:\n"
                                      : "\nfunctions without names:\n",
                100 * shares[i], text_clean(arena, part_name(report, i)),
                text_clean(arena, part_advice(report, i, &found)));
        any = true;
    }
    if (found && !verbose)
        fprintf(to, "%s-v says where gait looked for them\n",
                getenv("DEBUGINFOD_URLS") ? "" : "set DEBUGINFOD_URLS to a server to fetch many; ");
    mem_free(shares);
}

void missing_json(struct json *json, const struct report *report)
{
    size_t n = report->scene->modules.n;
    double *shares = mem_alloc((n + 1) * sizeof *shares);
    bool found = false;
    shares_add(report, shares);
    json_array(json, "missing");
    for (size_t i = 0; i <= n; i++) {
        if (shares[i] < matters)
            continue;
        json_object(json, NULL);
        json_string(json, "module", part_name(report, i));
        json_number(json, "share", shares[i]);
        json_string(json, "text", part_advice(report, i, &found));
        json_object_end(json);
    }
    json_array_end(json);
    mem_free(shares);
}
