#include "view/views.h"

#include "analysis/report/annotate.h"

#include "text/clean.h"
#include "text/listing.h"
#include "text/sheet.h"
#include "view/head.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct page {
    FILE *to;
    const struct annotation *annotation;
    struct listing *listing;
    const struct ink *ink;
    bool side;              /* source stands beside the code, not above it */
    bool count, cpi, total; /* columns that are there */
};

/* ---- figures */

static const char *seen_text(const struct profile *profile, struct estimate share)
{
    return share.value > 0 ? share_text(profile, share) : "";
}

/* Columns on screen: characters, not bytes. */
static void right_text(const struct page *page, const char *text, int width, enum ink_tone tone)
{
    int wide = 0;
    for (const char *at = text; *at; at++)
        wide += (*at & 0xC0) != 0x80;
    fprintf(page->to, "%*s%s%s%s ", wide < width ? width - wide : 0, "", ink_begin(page->ink, tone),
            text, ink_end(page->ink, tone));
}

enum { SHARE_WIDTH = 14, COUNT_WIDTH = 12, CPI_WIDTH = 6, TOTAL_WIDTH = 9, ADDRESS_WIDTH = 8 };

static void figures_text(const struct page *page, const struct annotated *line)
{
    const struct profile *profile = page->annotation->report->scene->sides[0];
    char text[32] = "";
    right_text(page, seen_text(profile, line->share), SHARE_WIDTH,
               line->share.value > 0 ? ink_of_share(line->share.value) : INK_PLAIN);
    if (page->total) {
        bool events = page->annotation->report->weight == WEIGHT_COUNT;
        if (line->total.value > 0 && events)
            snprintf(text, sizeof text, "%s", count_text(line->total.value, false));
        else if (line->total.value > 0)
            snprintf(text, sizeof text, "%.3f s", line->total.value);
        right_text(page, text, TOTAL_WIDTH, INK_PLAIN);
    }
    if (page->count)
        right_text(page,
                   line->count.value > 0
                       ? count_text(line->count.value, profile->mode == PROFILE_EXACT)
                       : "",
                   COUNT_WIDTH, INK_PLAIN);
    if (page->cpi) {
        text[0] = 0;
        if (cpi_known(line->cpi))
            snprintf(text, sizeof text, "%.2f", line->cpi.value);
        right_text(page, text, CPI_WIDTH, INK_PLAIN);
    }
}

static void columns_text(const struct page *page)
{
    const struct report *report = page->annotation->report;
    bool plain = report->has_plain;
    right_text(page,
               plain && report_has_total(report) ? "self"
               : report->weight == WEIGHT_TIME   ? "time"
                                                 : "share",
               SHARE_WIDTH, INK_HEAD);
    if (page->total)
        right_text(page, "below", TOTAL_WIDTH, INK_HEAD);
    if (page->count)
        right_text(page, "count", COUNT_WIDTH, INK_HEAD);
    if (page->cpi)
        right_text(page, "cpi", CPI_WIDTH, INK_HEAD);
    fprintf(page->to, "%*s\n", ADDRESS_WIDTH, "");
}

static int figures_width(const struct page *page)
{
    return SHARE_WIDTH + 1 + (page->total ? TOTAL_WIDTH + 1 : 0) +
           (page->count ? COUNT_WIDTH + 1 : 0) + (page->cpi ? CPI_WIDTH + 1 : 0);
}

/* ---- source */

static bool same_chain(const struct annotation *annotation, const struct annotated *a,
                       const struct annotated *b)
{
    if (a->n_inlined != b->n_inlined)
        return false;
    for (size_t i = 0; i < a->n_inlined; i++)
        if (annotation->inlined.at[a->first_inlined + i] !=
            annotation->inlined.at[b->first_inlined + i])
            return false;
    return true;
}

/* Which inlined functions the code is part of, the outermost first; of many, those next to it. */
static void chain_text(const struct page *page, const struct annotated *line)
{
    enum { SHOWN = 3 };
    struct scene *scene = page->annotation->report->scene;
    size_t n = line->n_inlined, shown = n > SHOWN && !scene->verbose ? SHOWN : n;
    fputs(ink_begin(page->ink, INK_COLD), page->to);
    if (n)
        fprintf(page->to, "[inlined %s", shown < n ? "... > " : "");
    else
        fprintf(page->to, "[%s", name_text(scene, page->annotation->row->name));
    for (size_t i = shown; i-- > 0;)
        fprintf(page->to, "%s%s",
                name_text(scene, page->annotation->inlined.at[line->first_inlined + i]),
                i ? " > " : "");
    fprintf(page->to, "]%s", ink_end(page->ink, INK_COLD));
}

static void line_text_write(const struct page *page, const struct annotated *line)
{
    const char *text = listing_line(page->listing, line->file, line->line);
    const char *slash = strrchr(line->file, '/');
    fprintf(page->to, "%s%s:%u%s%s%s", ink_begin(page->ink, INK_SOURCE),
            text_clean(&page->listing->arena, slash ? slash + 1 : line->file), line->line,
            text ? "  " : "", text ? text : "", ink_end(page->ink, INK_SOURCE));
}

/* All of an instruction's source that differs from that of the one before. */
static void source_text(const struct page *page, const struct annotated *before,
                        const struct annotated *line)
{
    bool chain = before ? !same_chain(page->annotation, before, line) : line->n_inlined;
    bool other = !before || chain || before->file != line->file || before->line != line->line;
    if (chain) {
        fprintf(page->to, "%*s", page->side ? 1 : figures_width(page), "");
        chain_text(page, line);
        fputs(page->side ? "" : "\n", page->to);
    }
    if (line->file && other) {
        fprintf(page->to, "%*s", page->side ? 1 : figures_width(page), "");
        line_text_write(page, line);
        fputs(page->side ? "" : "\n", page->to);
    }
}

/* ---- instructions */

/* As many that next to never is not never, nor next to always always; four at most. */
static int percent_digits(double share)
{
    double rest = 100 * fmin(share, 1 - share);
    int digits = 1;
    while (digits < 4 && rest > 0 && rest * pow(10, digits) < 1)
        digits++;
    return digits;
}

/* Which way it went, with what a branch's text and that of its targets make together. */
static const char *branch_text(const struct page *page, const struct annotated *line)
{
    enum { SHOWN = 3 };
    const struct annotation *annotation = page->annotation;
    struct arena *arena = &annotation->report->scene->arena;
    struct estimate taken = line->taken;
    const char *text = "";
    double all = 0;
    int digits = percent_digits(taken.value);
    if (taken.hi > taken.lo)
        text = arena_format(arena, "   # %.*f%% taken (%.*f to %.*f)", digits, 100 * taken.value,
                            digits, 100 * taken.lo, digits, 100 * taken.hi);
    else if (!isnan(taken.value))
        text = arena_format(arena, "   # %.*f%% taken", digits, 100 * taken.value);
    for (size_t i = 0; i < line->n_targets; i++)
        all += annotation->targets.at[line->first_target + i].count.value;
    for (size_t i = 0; i < line->n_targets && i < SHOWN && all > 0; i++) {
        const struct annotated_target *target = &annotation->targets.at[line->first_target + i];
        text = arena_format(arena, "%s%s%s %.0f%%", text, i ? ", " : "   # -> ", target->text,
                            100 * target->count.value / all);
    }
    if (line->n_targets > SHOWN)
        text = arena_format(arena, "%s and %zu more", text, line->n_targets - SHOWN);
    return text;
}

static void instruction_text(const struct page *page, const struct annotated *before,
                             const struct annotated *line)
{
    enum { CODE_WIDTH = 44 };
    char label[16] = "";
    const char *branch = branch_text(page, line);
    if (line->label)
        snprintf(label, sizeof label, ".L%u:", line->label);
    figures_text(page, line);
    fprintf(page->to, "%*" PRIx64 " %s%-6s%s %s%s%s%s", ADDRESS_WIDTH, line->instruction.at.v,
            ink_begin(page->ink, INK_HEAD), label, ink_end(page->ink, INK_HEAD), line->assembly,
            ink_begin(page->ink, INK_NAME), branch, ink_end(page->ink, INK_NAME));
    if (page->side) {
        size_t used = strlen(line->assembly) + strlen(branch);
        fprintf(page->to, "%*s |", used < CODE_WIDTH ? (int)(CODE_WIDTH - used) : 0, "");
        source_text(page, before, line);
    }
    fputc('\n', page->to);
}

/* Whether something was seen close by. */
static bool near_seen(const struct annotation *annotation, size_t i)
{
    enum { AROUND = 2 };
    size_t from = i > AROUND ? i - AROUND : 0;
    size_t to = i + AROUND < annotation->n ? i + AROUND : annotation->n - 1;
    for (size_t k = from; k <= to; k++)
        if (annotation->at[k].seen)
            return true;
    return false;
}

static void title_text(const struct page *page)
{
    const struct annotation *annotation = page->annotation;
    const struct report *report = annotation->report;
    const struct report_row *row = annotation->row;
    struct scene *scene = report->scene;
    const char *address = address_text(scene, row->module, row->at);
    fprintf(page->to, "\n%s%s%s", ink_begin(page->ink, INK_HEAD), name_text(scene, row->name),
            ink_end(page->ink, INK_HEAD));
    if (strcmp(address, row->name) != 0)
        fprintf(page->to, "  %s", address);
    fprintf(page->to, "  %s of %s", share_text(scene->sides[0], report_share(report, row)),
            report->weight == WEIGHT_TIME ? "user time"
            : report->has_plain           ? "events"
                                          : "instructions");
    double time = report_time(report, row).value;
    if (report->weight == WEIGHT_TIME && !isnan(time))
        fprintf(page->to, ", %.3f s", time);
    if (annotation->counted.cfg.undecoded)
        fprintf(page->to, "; %u places do not decode", annotation->counted.cfg.undecoded);
    fputc('\n', page->to);
}

/* From i on: how many in a row have nothing seen close by. Fewer than a few are not worth folding.
 */
static size_t run_unseen(const struct annotation *annotation, size_t i)
{
    enum { FEW = 4 };
    size_t n = 0;
    while (i + n < annotation->n && !near_seen(annotation, i + n))
        n++;
    return n < FEW ? 0 : n;
}

void annotation_text(FILE *to, const struct annotation *annotation, struct listing *listing,
                     const struct ink *ink, struct annotation_style style)
{
    const struct report *report = annotation->report;
    struct page page = {to,  annotation,         listing,
                        ink, .side = style.side, .count = !report->has_plain};
    for (size_t i = 0; i < annotation->n; i++) {
        page.total |= annotation->at[i].total.value > 0;
        page.cpi |= cpi_known(annotation->at[i].cpi);
    }
    title_text(&page);
    columns_text(&page);
    const struct annotated *before = NULL;
    for (size_t i = 0; i < annotation->n; i++) {
        size_t folded = style.all ? 0 : run_unseen(annotation, i);
        if (folded) {
            fprintf(to, "%*s... %zu instructions were not seen\n", figures_width(&page), "",
                    folded);
            before = NULL;
            i += folded - 1;
            continue;
        }
        if (!page.side)
            source_text(&page, before, &annotation->at[i]);
        instruction_text(&page, before, &annotation->at[i]);
        before = &annotation->at[i];
    }
}
