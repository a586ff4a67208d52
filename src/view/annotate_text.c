#include "view/annotate.h"

#include "view/listing.h"
#include "view/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct page {
    FILE *to;
    const struct annotation *annotation;
    struct listing *listing;
    const struct ink *ink;
    bool count, cpi, total; /* columns that are there */
};

/* ---- figures */

static const char *share_text(const struct profile *profile, struct estimate share)
{
    static char text[32];
    double half = fmax(share.hi - share.value, share.value - share.lo);
    if (!(share.value > 0))
        return "";
    if (profile->mode == PROFILE_EXACT)
        snprintf(text, sizeof text, "%.2f%%", 100 * share.value);
    else if (isnan(half))
        snprintf(text, sizeof text, "%.2f%% ±?", 100 * share.value);
    else
        snprintf(text, sizeof text, "%.2f%% ±%.2f", 100 * share.value, 100 * half);
    return text;
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
    right_text(page, share_text(profile, line->share), SHARE_WIDTH,
               line->share.value > 0 ? ink_of_share(line->share.value) : INK_PLAIN);
    if (page->total) {
        if (line->total.value > 0)
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
        if (!isnan(line->cpi))
            snprintf(text, sizeof text, "%.2f", line->cpi);
        right_text(page, text, CPI_WIDTH, INK_PLAIN);
    }
}

static void columns_text(const struct page *page)
{
    const struct report *report = page->annotation->report;
    bool plain = report->has_plain;
    right_text(page,
               plain                           ? "self"
               : report->weight == WEIGHT_TIME ? "time"
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

/* Which inlined functions the code below is part of, the outermost first; of many, those next to the
 * code. */
static void chain_text(const struct page *page, const struct annotated *line)
{
    enum { SHOWN = 3 };
    struct scene *scene = page->annotation->report->scene;
    size_t n = line->n_inlined, shown = n > SHOWN && !scene->verbose ? SHOWN : n;
    fprintf(page->to, "%*s%s", figures_width(page), "", ink_begin(page->ink, INK_COLD));
    if (n)
        fprintf(page->to, "[inlined %s", shown < n ? "... > " : "");
    else
        fprintf(page->to, "[%s", name_text(scene, page->annotation->row->name));
    for (size_t i = shown; i-- > 0;)
        fprintf(page->to, "%s%s",
                name_text(scene, page->annotation->inlined.at[line->first_inlined + i]),
                i ? " > " : "");
    fprintf(page->to, "]%s\n", ink_end(page->ink, INK_COLD));
}

/* What stands above an instruction: all of it that differs from what stood above the one before. */
static void source_text(const struct page *page, const struct annotated *before,
                        const struct annotated *line)
{
    bool chain = before ? !same_chain(page->annotation, before, line) : line->n_inlined;
    if (chain)
        chain_text(page, line);
    if (!line->file ||
        (before && !chain && before->file == line->file && before->line == line->line))
        return;
    const char *text = listing_line(page->listing, line->file, line->line);
    const char *slash = strrchr(line->file, '/');
    fprintf(page->to, "%*s%s%s:%u%s%s%s\n", figures_width(page), "",
            ink_begin(page->ink, INK_SOURCE), slash ? slash + 1 : line->file, line->line,
            text ? "  " : "", text ? text : "", ink_end(page->ink, INK_SOURCE));
}

/* ---- instructions */

static void branch_text(const struct page *page, const struct annotated *line)
{
    enum { SHOWN = 3 };
    const struct annotation *annotation = page->annotation;
    struct estimate taken = line->taken;
    fputs(ink_begin(page->ink, INK_NAME), page->to);
    if (!isnan(taken.value)) {
        fprintf(page->to, "   # %.1f%% taken", 100 * taken.value);
        if (taken.hi > taken.lo)
            fprintf(page->to, " (%.1f to %.1f)", 100 * taken.lo, 100 * taken.hi);
    }
    double all = 0;
    for (size_t i = 0; i < line->n_targets; i++)
        all += annotation->targets.at[line->first_target + i].count.value;
    for (size_t i = 0; i < line->n_targets && i < SHOWN && all > 0; i++) {
        const struct annotated_target *target = &annotation->targets.at[line->first_target + i];
        fprintf(page->to, "%s%s %.0f%%", i ? ", " : "   # -> ", target->text,
                100 * target->count.value / all);
    }
    if (line->n_targets > SHOWN)
        fprintf(page->to, " and %zu more", line->n_targets - SHOWN);
    fputs(ink_end(page->ink, INK_NAME), page->to);
}

static void instruction_text(const struct page *page, const struct annotated *line)
{
    char label[16] = "";
    if (line->label)
        snprintf(label, sizeof label, ".L%u:", line->label);
    figures_text(page, line);
    fprintf(page->to, "%*" PRIx64 " %s%-6s%s %s", ADDRESS_WIDTH, line->instruction.at.v,
            ink_begin(page->ink, INK_HEAD), label, ink_end(page->ink, INK_HEAD), line->assembly);
    branch_text(page, line);
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
    fprintf(page->to, "\n%s%s%s  %s", ink_begin(page->ink, INK_HEAD), name_text(scene, row->name),
            ink_end(page->ink, INK_HEAD), address_text(scene, row->module, row->at));
    fprintf(page->to, "  %s of %s", share_text(scene->sides[0], report_share(report, row)),
            report->weight == WEIGHT_TIME ? "user time"
            : report->has_plain           ? "events"
                                          : "instructions");
    double time = report_time(report, row).value;
    if (report->weight == WEIGHT_TIME && !isnan(time))
        fprintf(page->to, ", %.3f s", time);
    if (annotation->cfg.undecoded)
        fprintf(page->to, "; %u places do not decode", annotation->cfg.undecoded);
    fputc('\n', page->to);
}

/* From i on: how many in a row have nothing seen close by. Fewer than a few are not worth folding. */
static size_t run_unseen(const struct annotation *annotation, size_t i)
{
    enum { FEW = 4 };
    size_t n = 0;
    while (i + n < annotation->n && !near_seen(annotation, i + n))
        n++;
    return n < FEW ? 0 : n;
}

void annotation_text(FILE *to, const struct annotation *annotation, struct listing *listing,
                     const struct ink *ink, bool all)
{
    const struct report *report = annotation->report;
    struct page page = {to, annotation, listing, ink, .count = !report->has_plain};
    page.cpi = report->scene->sides[0]->mode == PROFILE_SAMPLED;
    for (size_t i = 0; i < annotation->n; i++)
        page.total |= annotation->at[i].total.value > 0;
    title_text(&page);
    columns_text(&page);
    const struct annotated *before = NULL;
    for (size_t i = 0; i < annotation->n; i++) {
        size_t folded = all ? 0 : run_unseen(annotation, i);
        if (folded) {
            fprintf(to, "%*s... %zu instructions were not seen\n", figures_width(&page), "",
                    folded);
            before = NULL;
            i += folded - 1;
            continue;
        }
        source_text(&page, before, &annotation->at[i]);
        instruction_text(&page, &annotation->at[i]);
        before = &annotation->at[i];
    }
}

void listing_text(FILE *to, const struct listing *listing)
{
    bool any = false;
    for (size_t i = 0; i < listing->files.n; i++) {
        const struct listing_file *file = &listing->files.at[i];
        if (file->there && !file->newer)
            continue;
        fprintf(to, "%s%s: %s\n", any ? "" : "\n", file->path,
                file->there ? "changed after the program was built: its lines may be others"
                            : "is not there: no source to show, lines have their numbers");
        any = true;
    }
}
