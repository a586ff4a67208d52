#include "view/views.h"

#include "analysis/pipeline/modelled.h"
#include "analysis/pipeline/modelled_check.h"

#include "program/insn/assembly.h"
#include "program/binary.h"
#include "view/head.h"
#include "text/ink.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BAR_COLUMNS = 48, PARTS_SHOWN = 3, WASTED_SHOWN = 5 };

static const char stage_letters[] = "fdric";
static const char *const stage_names[] = {"fetch to dispatch", "dispatch to ready",
                                          "ready to issue", "issue to complete",
                                          "complete to retire"};

static double mean_of(const struct modelled *modelled, const struct modelled_row *row,
                      uint32_t field, uint32_t of)
{
    return modelled_ratio(modelled, row, field, 1, row, of, 1).value;
}

static double under_way(const struct modelled *modelled, const struct modelled_row *row)
{
    double cycles = 0;
    for (uint32_t i = STAGE_FETCH; i <= STAGE_COMPLETE; i++)
        cycles += mean_of(modelled, row, FIELD_STAGE + i, FIELD_RETIRED);
    return cycles;
}

static void assembly_of(struct scene *scene, uint32_t module, uint64_t at, char *text, size_t room)
{
    const struct binary *binary = scene_binary(scene, module);
    *text = 0;
    if (binary)
        assembly_text(&binary->image, (struct svma){at}, ASSEMBLY_ATT, NULL, NULL, text, room);
}

/* A letter for so many cycles, stage by stage. */
static void bar_print(FILE *to, const struct modelled *modelled, const struct modelled_row *row,
                      double longest)
{
    double done = 0;
    int columns = 0;
    fprintf(to, "      ");
    for (uint32_t i = STAGE_FETCH; i <= STAGE_COMPLETE; i++) {
        done += mean_of(modelled, row, FIELD_STAGE + i, FIELD_RETIRED);
        int end = longest > 0 ? (int)(done / longest * BAR_COLUMNS + 0.5) : 0;
        for (; columns < end; columns++)
            fputc(stage_letters[i], to);
    }
    fprintf(to, "| %.1f cycles:", done);
    for (uint32_t i = STAGE_FETCH; i <= STAGE_COMPLETE; i++)
        fprintf(to, " %c %.1f", stage_letters[i],
                mean_of(modelled, row, FIELD_STAGE + i, FIELD_RETIRED));
    double load = mean_of(modelled, row, FIELD_STAGE + STAGE_LOAD, FIELD_LOADS);
    if (isfinite(load))
        fprintf(to, ", its load %.1f", load);
    fputc('\n', to);
}

static int part_order(const void *a, const void *b)
{
    const struct modelled_part *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

static void why_print(FILE *to, const struct modelled *modelled, const struct modelled_row *row)
{
    struct modelled_part parts[MODELLED_PARTS];
    char text[256];
    double time = modelled_total(modelled, row, FIELD_TIME, ACCOUNT_STATES).value;
    memcpy(parts, row->time, sizeof parts);
    qsort(parts, MODELLED_PARTS, sizeof *parts, part_order);
    fprintf(to, "      time:");
    for (int i = 0; i < PARTS_SHOWN && parts[i].cycles > 0; i++)
        fprintf(to, "  %.0f%% %s", 100 * parts[i].cycles / time,
                modelled_why(parts[i].what, text, sizeof text));
    fputc('\n', to);
}

static void waits_print(FILE *to, const struct modelled *modelled, const struct modelled_row *row)
{
    struct modelled_part parts[MODELLED_PARTS];
    double times = modelled_total(modelled, row, FIELD_RETIRED, 1).value;
    uint32_t module = scene_module(modelled->scene, 0, row->module);
    memcpy(parts, row->waits, sizeof parts);
    qsort(parts, MODELLED_PARTS, sizeof *parts, part_order);
    for (int i = 0; i < 2 && parts[i].cycles > times / 2; i++) {
        char assembly[128];
        if (parts[i].what == UINT64_MAX) {
            fprintf(to, "      waits %.1f cycles for others\n", parts[i].cycles / times);
            continue;
        }
        assembly_of(modelled->scene, module, parts[i].what, assembly, sizeof assembly);
        fprintf(to, "      waits %.1f cycles for %s  %s\n", parts[i].cycles / times,
                address_text(modelled->scene, module, parts[i].what), assembly);
    }
}

static void events_print(FILE *to, const struct modelled *modelled, const struct modelled_row *row)
{
    bool any = false;
    for (uint32_t i = 0; i < ACCOUNT_EVENTS; i++) {
        double of_100 = 100 * mean_of(modelled, row, FIELD_EVENT + i, FIELD_RETIRED);
        if (!(of_100 >= 0.1))
            continue;
        fprintf(to, "%s  %s %.1f", any ? "" : "      of 100:", modelled_event_name(i), of_100);
        any = true;
    }
    if (any)
        fputc('\n', to);
}

static void slots_print(FILE *to, const struct modelled *modelled, const struct modelled_row *row)
{
    struct estimate wasted = modelled_wasted(modelled, row);
    double nearby = mean_of(modelled, row, FIELD_NEARBY, FIELD_RETIRED) / ACCOUNT_NEAR;
    double hit = mean_of(modelled, row, FIELD_SLOTS + 2, FIELD_SLOTS);
    double miss = mean_of(modelled, row, FIELD_SLOTS + 5, FIELD_SLOTS + 3);
    fprintf(to, "      wasted slots %s", count_text(wasted.value, false));
    if (modelled->groups > 1)
        fprintf(to, " [%s, %s]", count_text(wasted.lo, false), count_text(wasted.hi, false));
    if (isfinite(nearby))
        fprintf(to, "; nearby %.2f issued per cycle", nearby);
    if (isfinite(hit))
        fprintf(to, "; %.0f issued while it is in flight%s", hit,
                isfinite(miss) ? " and hits" : "");
    if (isfinite(miss))
        fprintf(to, "%s%.0f when it misses", isfinite(hit) ? ", " : "; ", miss);
    fputc('\n', to);
}

static void place_print(FILE *to, struct modelled *modelled, const struct modelled_row *row,
                        const struct ink *ink)
{
    struct scene *scene = modelled->scene;
    uint32_t module = scene_module(scene, 0, row->module);
    function_id function = scene_function_at(scene, module, row->at);
    char assembly[128];
    assembly_of(scene, module, row->at, assembly, sizeof assembly);
    fprintf(to, "  %s%s%s  %s  %s\n      %s%s%s\n", ink_begin(ink, INK_NAME),
            name_text(scene, scene_function_name(scene, module, function)), ink_end(ink, INK_NAME),
            line_text(scene, module, row->at), address_text(scene, module, row->at),
            ink_begin(ink, INK_SOURCE), assembly, ink_end(ink, INK_SOURCE));
}

static void row_print(FILE *to, struct modelled *modelled, const struct modelled_row *row,
                      double longest, const struct ink *ink)
{
    struct estimate share = modelled_share(modelled, row);
    double each =
        modelled_ratio(modelled, row, FIELD_TIME, ACCOUNT_STATES, row, FIELD_RETIRED, 1).value;
    fprintf(to, "%s%6.2f%%%s", ink_begin(ink, ink_of_share(share.value)), 100 * share.value,
            ink_end(ink, ink_of_share(share.value)));
    if (modelled->groups > 1)
        fprintf(to, " ±%.2f", 100 * (share.hi - share.value));
    fprintf(to, "  %.2f cycles each", each);
    place_print(to, modelled, row, ink);
    bar_print(to, modelled, row, longest);
    why_print(to, modelled, row);
    waits_print(to, modelled, row);
    events_print(to, modelled, row);
    slots_print(to, modelled, row);
}

/* ---- what is said of all */

/* Rows are sorted by the model's time: nobody is to take it for the program's. */
static void stray_print(FILE *to, const struct modelled *modelled)
{
    struct modelled_stray stray;
    if (!modelled_strays(modelled, &stray))
        return;
    fprintf(to,
            "THE MODEL AND THE CLOCK DISAGREE: %s (%s) took %.0f %% (%.0f to %.0f) of the measured "
            "user time, and %.1f %% in the model; %s\n",
            stray.line, name_text(modelled->scene, stray.function), 100 * stray.measured.value,
            100 * stray.measured.lo, 100 * stray.measured.hi, 100 * stray.modelled,
            modelled->addressed ? "gait report --by line has measured times"
                                : "its loads may miss the cache: gait record --events latency "
                                  "measures them, --events address tells the model where they go");
}

static void head_print(FILE *to, const struct modelled *modelled)
{
    double ipc = modelled_ratio(modelled, &modelled->all, FIELD_RETIRED, 1, &modelled->all,
                                FIELD_TIME, ACCOUNT_STATES)
                     .value;
    fprintf(to, "%s through a model of %s: %s instructions",
            modelled->groups > 1 ? "windows" : "the whole trace", modelled->model.name,
            count_text((double)modelled->instructions, false));
    if (modelled->groups > 1)
        fprintf(to, " of %" PRIu64 " windows, without the first quarter of each, which warms it up",
                modelled->windows);
    fprintf(to, "; %.2f instructions per cycle\n", ipc);
    if (*modelled->core_why)
        fprintf(to, "the core: %s%s\n", modelled->core_why,
                modelled->groups > 1 ? "; --core NAME chooses another" : "");
    fprintf(to, modelled->addressed ? "data addresses are as recorded\n"
                                    : "no data addresses were recorded (--events address): all "
                                      "loads except those of the stack are "
                                      "taken to be hits in the first-level cache\n");
    stray_print(to, modelled);
    static const char *const states[ACCOUNT_STATES] = {
        "instructions retire", "the oldest one stalls", "flushed after a misprediction",
        "nothing was fetched"};
    fprintf(to, "cycles:");
    for (uint32_t i = 0; i < ACCOUNT_STATES; i++)
        fprintf(to, "%s %.1f%% %s", i ? "," : "",
                100 * modelled_ratio(modelled, &modelled->all, FIELD_TIME + i, 1, &modelled->all,
                                     FIELD_TIME, ACCOUNT_STATES)
                          .value,
                states[i]);
    fprintf(to, "\nbars:");
    for (uint32_t i = STAGE_FETCH; i <= STAGE_COMPLETE; i++)
        fprintf(to, "%s %c %s", i ? "," : "", stage_letters[i], stage_names[i]);
    fprintf(to, "\n\n");
}

struct wasting {
    const struct modelled_row *row;
    double slots;
};

static int wasting_order(const void *a, const void *b)
{
    const struct wasting *x = a, *y = b;
    if (x->slots != y->slots)
        return x->slots > y->slots ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void wasted_print(FILE *to, struct modelled *modelled, const struct ink *ink)
{
    struct wasting *order = mem_alloc((modelled->n + 1) * sizeof *order);
    double all = 0;
    for (size_t i = 0; i < modelled->n; i++) {
        order[i] =
            (struct wasting){&modelled->at[i], modelled_wasted(modelled, &modelled->at[i]).value};
        all += order[i].slots > 0 ? order[i].slots : 0;
    }
    qsort(order, modelled->n, sizeof *order, wasting_order);
    fprintf(to, "\nmost slots are wasted while these are in flight:\n");
    for (size_t i = 0; i < modelled->n && i < WASTED_SHOWN && order[i].slots > 0; i++) {
        fprintf(to, "%6.2f%%", 100 * order[i].slots / all);
        place_print(to, modelled, order[i].row, ink);
    }
    mem_free(order);
}

void modelled_text(FILE *to, struct modelled *modelled, const struct ink *ink, size_t limit)
{
    double longest = 0;
    size_t shown = 0;
    head_text(to, modelled->scene, 0);
    head_print(to, modelled);
    for (size_t i = 0; i < modelled->n && i < limit; i++) {
        double cycles = under_way(modelled, &modelled->at[i]);
        longest = cycles > longest ? cycles : longest;
    }
    for (; shown < modelled->n && shown < limit; shown++)
        row_print(to, modelled, &modelled->at[shown], longest, ink);
    wasted_print(to, modelled, ink);
    shown_text(to, shown, modelled->n, "rows");
    if (modelled->unread)
        fprintf(to, "%" PRIu64 " instructions could not be read, and were not modelled\n",
                modelled->unread);
    if (modelled->broken)
        fprintf(to, "%" PRIu64 " windows end where they make no sense\n", modelled->broken);
    losses_text(to, modelled->scene, 0, 0);
}
