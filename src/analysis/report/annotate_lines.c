#include "analysis/report/annotate_lines.h"

#include "analysis/report/annotate_sum.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>

struct place {
    uint32_t file, line;
};

struct working {
    struct place place;
    struct annotated_sum own, total;
    uint32_t instructions;
    uint64_t busiest;      /* executions, as the profile counts */
    struct estimate count; /* of that one */
    size_t last;           /* the last instruction that was added to the total, and 1 */
};

struct workings {
    struct map keys;
    VEC(struct working);
};

static struct working *working_of(struct workings *all, struct place place)
{
    uint64_t key = (uint64_t)place.file << 32 | place.line;
    uint32_t i = map_add(&all->keys, &key);
    if (i == all->n)
        vec_push(all)->place = place;
    return &all->at[i];
}

/* A recursive chain may be inlined into one line twice: it counts once. */
static void total_add(struct working *line, const struct annotation *annotation, size_t i)
{
    if (line->last != i + 1)
        annotated_sum_add(&line->total, annotation, i);
    line->last = i + 1;
}

static void own_add(struct working *line, const struct annotation *annotation, size_t i)
{
    const struct annotated *instruction = &annotation->at[i];
    uint64_t count = annotation->plain ? 0 : annotation->counted.flows[0].instructions[i].count;
    annotated_sum_add(&line->own, annotation, i);
    if (!line->instructions++ || count > line->busiest) {
        line->busiest = count;
        line->count = instruction->count;
    }
    total_add(line, annotation, i);
}

static int line_order(const void *a, const void *b)
{
    const struct annotated_line *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

void annotated_lines_make(struct annotated_lines *lines, const struct annotation *annotation)
{
    struct workings all = {0};
    map_init(&all.keys, sizeof(uint64_t));
    for (size_t i = 0; i < annotation->n; i++) {
        const struct annotated *instruction = &annotation->at[i];
        const struct annotated_site *sites = annotation->sites.at;
        for (size_t k = 0; k < instruction->n_sites; k++) {
            const struct annotated_site *site = &sites[instruction->first_site + k];
            struct place place = {site->file, site->line};
            if (!place.line)
                continue;
            if (k == 0)
                own_add(working_of(&all, place), annotation, i);
            else
                total_add(working_of(&all, place), annotation, i);
        }
    }
    *lines = (struct annotated_lines){0};
    for (size_t i = 0; i < all.n; i++) {
        struct working *line = &all.at[i];
        const struct estimate unknown = {NAN, NAN, NAN};
        *vec_push(lines) =
            (struct annotated_line){.file = line->place.file,
                                    .line = line->place.line,
                                    .instructions = line->instructions,
                                    .share = annotated_sum_share(&line->own, annotation),
                                    .time = annotated_sum_time(&line->own, annotation),
                                    .count = line->instructions ? line->count : unknown,
                                    .total = annotated_sum_share(&line->total, annotation),
                                    .total_time = annotated_sum_time(&line->total, annotation)};
    }
    if (lines->n)
        qsort(lines->at, lines->n, sizeof *lines->at, line_order);
    map_release(&all.keys);
    vec_release(&all);
}
