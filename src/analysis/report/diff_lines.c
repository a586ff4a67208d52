#include "analysis/report/diff_lines.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- measuring */

void line_masses_add(struct line_masses *masses, struct binary *binary, function_id function,
                     struct intern *files)
{
    const struct symbols *symbols = &binary->symbols;
    const struct lines *lines = binary_lines(binary);
    const char *file = NULL, *last_file = NULL;
    uint32_t line, id = 0;
    for (uint32_t r = symbols->functions.at[function].first_range; r != RANGE_NONE;
         r = symbols->ranges.at[r].next) {
        const struct code_range *range = &symbols->ranges.at[r];
        for (uint64_t at = range->start.v; at < range->start.v + range->bytes; at++) {
            if (!lines_find(lines, (struct svma){at}, &file, &line) || !line)
                continue;
            if (file != last_file)
                id = intern_number(files, file_name(file));
            last_file = file;
            struct line_mass *last = masses->n ? &masses->at[masses->n - 1] : NULL;
            if (last && last->file == id && last->line == line)
                last->bytes++;
            else
                *vec_push(masses) = (struct line_mass){id, line, 1};
        }
    }
}

static int mass_order(const void *a, const void *b)
{
    const struct line_mass *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

void line_masses_sort(struct line_masses *masses)
{
    size_t kept = 0;
    if (masses->n)
        qsort(masses->at, masses->n, sizeof *masses->at, mass_order);
    for (size_t i = 0; i < masses->n; i++) {
        if (kept && mass_order(&masses->at[kept - 1], &masses->at[i]) == 0)
            masses->at[kept - 1].bytes += masses->at[i].bytes;
        else
            masses->at[kept++] = masses->at[i];
    }
    masses->n = kept;
}

uint32_t line_masses_find(const struct line_masses *masses, uint32_t file, uint32_t line)
{
    struct line_mass wanted = {file, line, 0};
    const struct line_mass *found =
        masses->n ? bsearch(&wanted, masses->at, masses->n, sizeof wanted, mass_order) : NULL;
    return found ? (uint32_t)(found - masses->at) : LINE_NONE;
}

/* ---- aligning */

/* The lines of one file. */
struct span {
    const struct line_mass *at;
    uint32_t n;
};

enum { EQUAL = 16, DIFFERENT = 7, KEPT_DISTANCE = 3 };

/* How well two lines go together; not above 0: not at all. */
static int score(const struct span *before, uint32_t i, const struct span *after, uint32_t k)
{
    const struct line_mass *x = &before->at[i], *y = &after->at[k];
    uint32_t low = x->bytes < y->bytes ? x->bytes : y->bytes;
    uint32_t high = x->bytes < y->bytes ? y->bytes : x->bytes;
    int alike = (int)((uint64_t)EQUAL * low / high) - (low == high ? 0 : DIFFERENT);
    bool kept = x->line - before->at->line == y->line - after->at->line;
    return alike + (kept ? KEPT_DISTANCE : 0);
}

/* The best sum of scores over pairs that do not cross, by the usual table; best[i][k] is of lines
 * from i and k on. Tables are kept to a size: larger functions are aligned by distance alone. */
enum { CELLS_MAX = 4 * 1024 * 1024 };

static void span_align(struct span before, struct span after, uint32_t *partner_of, uint32_t base)
{
    size_t wide = (size_t)after.n + 1;
    int *best = mem_alloc(((size_t)before.n + 1) * wide * sizeof *best);
    for (uint32_t i = before.n; i-- > 0;)
        for (uint32_t k = after.n; k-- > 0;) {
            int skip_before = best[(i + 1) * wide + k], skip_after = best[i * wide + k + 1];
            int paired = best[(i + 1) * wide + k + 1] + score(&before, i, &after, k);
            int skipped = skip_before > skip_after ? skip_before : skip_after;
            best[i * wide + k] = paired > skipped ? paired : skipped;
        }
    for (uint32_t i = 0, k = 0; i < before.n && k < after.n;) {
        int here = best[i * wide + k];
        int good = score(&before, i, &after, k);
        if (good > 0 && here == best[(i + 1) * wide + k + 1] + good)
            partner_of[k++] = base + i++;
        else if (here == best[(i + 1) * wide + k])
            i++;
        else
            k++;
    }
    mem_free(best);
}

static void span_by_distance(struct span before, struct span after, uint32_t *partner_of,
                             uint32_t base)
{
    for (uint32_t i = 0, k = 0; i < before.n && k < after.n;) {
        uint32_t x = before.at[i].line - before.at->line, y = after.at[k].line - after.at->line;
        if (x == y)
            partner_of[k] = base + i;
        i += x <= y;
        k += y <= x;
    }
}

static struct span span_of(const struct line_masses *masses, size_t from)
{
    struct span span = {masses->at + from, 0};
    while (from + span.n < masses->n && span.at[span.n].file == span.at->file)
        span.n++;
    return span;
}

uint32_t *line_masses_align(const struct line_masses *before, const struct line_masses *after)
{
    uint32_t *partner_of = mem_alloc((after->n + 1) * sizeof *partner_of);
    for (size_t k = 0; k < after->n; k++)
        partner_of[k] = LINE_NONE;
    for (size_t i = 0, k = 0; i < before->n && k < after->n;) {
        struct span x = span_of(before, i), y = span_of(after, k);
        if (x.at->file == y.at->file) {
            bool small = ((uint64_t)x.n + 1) * ((uint64_t)y.n + 1) <= CELLS_MAX;
            (small ? span_align : span_by_distance)(x, y, partner_of + k, (uint32_t)i);
        }
        uint32_t file_x = x.at->file, file_y = y.at->file;
        i += file_x <= file_y ? x.n : 0;
        k += file_y <= file_x ? y.n : 0;
    }
    return partner_of;
}
