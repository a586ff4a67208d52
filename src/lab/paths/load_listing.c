#include "lab/paths/load_listing.h"

#include "base/err.h"
#include "lab/paths/misses.h"
#include "program/insn/assembly.h"
#include "program/binary.h"
#include "view/head.h"
#include "analysis/values/latencies.h"
#include "analysis/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADS_SHOWN = 12, TIMED_LEAST = 10, BEFORE_BYTES = 96 };
static const double WAITS = 0.05; /* of all time */

/* An instruction: how long the CPU waits at it, and what its loads found. */
struct line {
    uint32_t module;
    uint64_t address;
    double delay, share;            /* ticks an execution; of all time */
    const struct load_place *loads; /* NULL: it was not timed */
};

struct listed {
    VEC(struct line);
};

static int line_order(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static struct line *line_get(struct listed *lines, uint32_t module, uint64_t address)
{
    for (size_t i = 0; i < lines->n; i++)
        if (lines->at[i].module == module && lines->at[i].address == address)
            return &lines->at[i];
    *vec_push(lines) = (struct line){.module = module, .address = address, .delay = NAN};
    return &lines->at[lines->n - 1];
}

/* What the report has of instructions: those with much time get a line, those that have one their
 * delay. */
static void delays_add(struct listed *lines, struct scene *scene)
{
    struct report report;
    struct err err;
    struct report_options options = {
        .by = BY_INSTRUCTION, .weight = WEIGHT_TIME, .has_weight = true};
    if (!report_make(&report, scene, options, &err))
        return;
    for (size_t i = 0; i < report.n; i++) {
        const struct report_row *row = &report.at[i];
        double share = report_share(&report, row).value;
        size_t before = lines->n;
        struct line *line = line_get(lines, row->module, row->at);
        if (lines->n > before && !(share >= WAITS)) {
            lines->n--;
            continue;
        }
        line->share = share;
        line->delay = report_cpi(&report, row).value;
    }
    report_release(&report);
}

static enum latency_bin main_bin(const struct load_place *place)
{
    int most = 0;
    for (int bin = 1; bin < LATENCY_BINS; bin++)
        if (place->bins[bin] > place->bins[most])
            most = bin;
    return (enum latency_bin)most;
}

static void line_show(struct lab_rows *rows, const struct lab_recording *of,
                      const struct line *line, const struct latency_view *view)
{
    struct lab_row *row = lab_row_add(rows);
    const struct binary *binary = scene_binary(of->scene, line->module);
    char assembly[96] = "";
    int bins = 0;
    if (binary)
        assembly_text(&binary->image, (struct svma){line->address}, ASSEMBLY_ATT, NULL, NULL,
                      assembly, sizeof assembly);
    lab_text(row, address_text(of->scene, line->module, line->address));
    lab_text(row, assembly);
    if (isnan(line->delay))
        lab_text(row, "");
    else
        lab_cell(row, "%.1f", line->delay);
    lab_share(row, line->share, 1);
    lab_cell(row, "%" PRIu64, line->loads ? line->loads->timed : 0);
    for (int bin = 0; line->loads && bin < LATENCY_BINS; bin++)
        bins += line->loads->bins[bin] > 0;
    lab_cell(row, "%d", bins);
    for (int bin = 0; bin < LATENCY_BINS; bin++)
        if (line->loads && latency_bin_told(view, (enum latency_bin)bin))
            lab_share(row, (double)line->loads->bins[bin], (double)line->loads->timed);
        else
            lab_text(row, "");
}

/* Where most time goes, and the loads just before it: which of them it waits for. */
static void wait_claim(struct lab_rows *rows, const struct lab_recording *of,
                       const struct listed *lines)
{
    const struct line *most = NULL;
    char loads[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < lines->n; i++)
        if (!most || lines->at[i].share > most->share)
            most = &lines->at[i];
    for (size_t i = 0; most && i < lines->n && used < sizeof loads; i++) {
        const struct line *at = &lines->at[i];
        if (!at->loads || at->module != most->module || at->address > most->address ||
            most->address - at->address > BEFORE_BYTES)
            continue;
        enum latency_bin bin = main_bin(at->loads);
        used += (size_t)snprintf(loads + used, sizeof loads - used, "%s%s %.0f %% %s",
                                 used ? ", " : "", address_text(of->scene, at->module, at->address),
                                 100 * (double)at->loads->bins[bin] / (double)at->loads->timed,
                                 latency_bin_name(bin));
    }
    if (most && most->share > 0)
        lab_claim(rows, "%s: %.1f %% of the time passes at %s; loads before it: %s",
                  lab_file_name(of->file), 100 * most->share,
                  address_text(of->scene, most->module, most->address),
                  used ? loads : "none was timed");
}

static void recording_show(struct lab_rows *rows, const struct lab_recording *of)
{
    struct latency_view view;
    struct listed lines = {0};
    latency_view_make(&view, of->scene);
    for (size_t i = 0; i < view.n && lines.n < LOADS_SHOWN; i++)
        if (view.at[i].timed >= TIMED_LEAST)
            line_get(&lines, view.at[i].module, view.at[i].address)->loads = &view.at[i];
    delays_add(&lines, of->scene);
    for (size_t i = 0; i < view.n; i++)
        for (size_t k = 0; k < lines.n; k++)
            if (lines.at[k].module == view.at[i].module &&
                lines.at[k].address == view.at[i].address)
                lines.at[k].loads = &view.at[i];
    if (lines.n)
        qsort(lines.at, lines.n, sizeof *lines.at, line_order);
    for (size_t i = 0; i < lines.n; i++)
        line_show(rows, of, &lines.at[i], &view);
    wait_claim(rows, of, &lines);
    if (view.l3_untold)
        lab_claim(rows, "%s: %s not told apart: %s", lab_file_name(of->file),
                  view.untold ? "near and far are" : "the third cache is",
                  view.untold ? view.untold : view.l3_untold);
    vec_release(&lines);
    latency_view_release(&view);
}

static bool listing_fill(struct lab_rows *rows, const struct lab_recording *all, size_t n,
                         struct err *err)
{
    if (!lab_latencies_check(all, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        recording_show(rows, &all[i]);
    lab_claim(rows,
              "the paper has one such listing: 85 %% of one load went to memory, 94 %% of the "
              "other were near, and the multiplication of both took 102 cycles");
    return true;
}

static const char *const columns[] = {"place", "instruction", "delay",  "time",   "vtot", "nv",
                                      "near",  "l3",          "memory", "longer", NULL};
const struct lab_table lab_load_listing = {
    .name = "sampling-figure-1",
    .title = "dear loads, and instructions with 5 % of the time: ticks of each, timed loads, bins "
             "that they are in, and what part is in each",
    .columns = columns,
    .recordings = listing_fill};
