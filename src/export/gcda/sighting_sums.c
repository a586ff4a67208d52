/* Records of single instructions, added up to sightings of places. */
#include "export/gcda/gathering.h"

#include <stdlib.h>
#include <string.h>

#define ORDER(field)                                                                               \
    if (x->field != y->field)                                                                      \
    return x->field < y->field ? -1 : 1

/* Beginnings and arrivals are sightings of their own. */
static uint8_t class_of(const struct gathered *record)
{
    return record->kind >= SIGHTING_MET ? record->kind : 0;
}

static int record_order(const void *a, const void *b)
{
    const struct gathered *x = a, *y = b;
    ORDER(function);
    ORDER(group);
    ORDER(instance);
    ORDER(column);
    if (class_of(x) != class_of(y))
        return class_of(x) < class_of(y) ? -1 : 1;
    ORDER(copy);
    ORDER(block);
    ORDER(discriminator);
    return 0;
}

static bool same_line(const struct gathered *x, const struct gathered *y)
{
    return x->function == y->function && x->group == y->group && x->instance == y->instance;
}

static bool same_place(const struct gathered *x, const struct gathered *y)
{
    return same_line(x, y) && x->column == y->column && class_of(x) == class_of(y);
}

/* Of one copy: branches, calls and beginnings come once for each execution; of other instructions
 * the most frequent one counts. */
static uint64_t copy_count(const struct gathered *records, size_t n, uint8_t *kind)
{
    uint64_t sums[SIGHTING_ENTERED + 1] = {0}, most = 0;
    bool there[SIGHTING_ENTERED + 1] = {false};
    for (size_t i = 0; i < n; i++) {
        bool again =
            i && records[i].kind >= SIGHTING_MET && records[i].block == records[i - 1].block;
        sums[records[i].kind] += again ? 0 : records[i].count;
        there[records[i].kind] = true;
        if (records[i].count > most)
            most = records[i].count;
    }
    for (uint8_t k = SIGHTING_ENTERED; k > SIGHTING_CODE; k--)
        if (there[k]) {
            *kind = k > *kind ? k : *kind;
            return sums[k];
        }
    return most;
}

static void sighting_add(struct gathering *gathering, const struct gathered *record, uint8_t kind,
                         uint32_t home, uint64_t count)
{
    struct sighting *sighting = vec_push(&gathering->result->functions[record->function]);
    *sighting = (struct sighting){.group = record->group,
                                  .column = record->column,
                                  .discriminator = record->discriminator,
                                  .count = count,
                                  .kind = kind,
                                  .home = home};
    if (record->instance) {
        const struct instance *instance = &gathering->instances.at[record->instance - 1];
        const struct callee *callee = &gathering->instances.callees.at[instance->callee];
        sighting->instance = instance->number;
        sighting->instances = callee->n;
        sighting->entry = callee->entry;
    }
    if (kind != SIGHTING_WAYS && kind != SIGHTING_ARRIVAL)
        return;
    memcpy(sighting->to_discriminator, record->to_discriminator, sizeof sighting->to_discriminator);
    memcpy(sighting->ways, record->ways, sizeof sighting->ways);
    memcpy(sighting->bytes, record->bytes, sizeof sighting->bytes);
    memcpy(sighting->to, record->to, sizeof sighting->to);
}

/* All records of a place as one sighting. */
static void place_whole(struct gathering *gathering, const struct gathered *records, size_t n)
{
    uint64_t count = 0, most = 0;
    uint8_t kind = 0;
    uint32_t home = records[0].block;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && records[end].copy == records[i].copy; end++)
            if (records[end].count > most) {
                most = records[end].count;
                home = records[end].block;
            }
        count += copy_count(&records[i], end - i, &kind);
    }
    sighting_add(gathering, records, kind, home, count);
}

/* Of a line that several blocks of the graph have, what was seen in each block of the code is a
 * sighting of its own, if there is but one copy or all have as many blocks. */
static size_t blocks_in(const struct gathered *records, size_t n)
{
    size_t result = 0;
    for (size_t i = 0; i < n; i++)
        result += !i || records[i].block != records[i - 1].block;
    return result;
}

static bool place_split(struct gathering *gathering, const struct gathered *records, size_t n)
{
    size_t blocks = 0, end;
    for (size_t i = 0; i < n; i = end) {
        for (end = i; end < n && records[end].copy == records[i].copy;)
            end++;
        size_t here = blocks_in(&records[i], end - i);
        if (i && here != blocks)
            return false;
        blocks = here;
    }
    struct sighting *parts = mem_alloc(blocks * sizeof *parts);
    const struct gathered **first = mem_alloc(blocks * sizeof *first);
    for (size_t i = 0, part = 0; i < n; i++) {
        bool begins = !i || records[i].copy != records[i - 1].copy;
        bool again = !begins && records[i].block == records[i - 1].block;
        part = begins ? 0 : again ? part : part + 1;
        if (!again)
            parts[part].count += records[i].count;
        if (records[i].kind > parts[part].kind)
            parts[part].kind = records[i].kind;
        if (!first[part])
            first[part] = &records[i];
    }
    for (size_t i = 0; i < blocks; i++)
        sighting_add(gathering, first[i], parts[i].kind, first[i]->block, parts[i].count);
    mem_free(first);
    mem_free(parts);
    return true;
}

/* Whether places of a line have columns of their own: as many as there are blocks of it, or there
 * is one block only. All that a macro makes is in one column. */
static bool line_by_column(const struct gathering *gathering, const struct gathered *records,
                           size_t n)
{
    size_t columns = 0;
    for (size_t i = 0, end; i < n; i = end) {
        bool counts = false;
        for (end = i; end < n && records[end].column == records[i].column; end++)
            counts |=
                records[end].kind == SIGHTING_BRANCH || records[end].kind == SIGHTING_STATEMENT;
        columns += counts;
    }
    uint32_t blocks = gathering->groups[records->function]->at[records->group].n, copies = 1;
    if (records->instance) {
        const struct instances *instances = &gathering->instances;
        copies = instances->callees.at[instances->at[records->instance - 1].callee].n;
    }
    return blocks <= copies || columns * copies >= blocks;
}

/* How often a statement begins in one block of one copy: so many turns of a loop were made into one
 * piece. */
static uint32_t times_begun(const struct gathered *records, size_t n)
{
    uint32_t most = 0, here = 0;
    for (size_t i = 0; i < n; i++) {
        bool again =
            i && records[i].copy == records[i - 1].copy && records[i].block == records[i - 1].block;
        here = again ? here + 1 : 1;
        if (here > most && records[i].kind == SIGHTING_STATEMENT)
            most = here;
    }
    return most;
}

static void place_sum(struct gathering *gathering, const struct gathered *records, size_t n,
                      bool by_column)
{
    struct sightings *sightings = &gathering->result->functions[records->function];
    size_t first = sightings->n;
    for (size_t i = 0; i < n; i++)
        if (records[i].kind == SIGHTING_BRANCH)
            sighting_add(gathering, &records[i], SIGHTING_WAYS, records[i].block, records[i].count);
        else if (records[i].kind == SIGHTING_ARRIVAL)
            sighting_add(gathering, &records[i], SIGHTING_ARRIVAL, records[i].block,
                         records[i].count);
    if (records->kind == SIGHTING_ARRIVAL)
        return;
    if (by_column || records->kind >= SIGHTING_ENTRY || !place_split(gathering, records, n))
        place_whole(gathering, records, n);
    uint32_t times = times_begun(records, n);
    for (; first < sightings->n; first++)
        sightings->at[first].times = times;
}

/* ---- branches that are not where the graph has them */

/* Whether a branch leads at once to another one of its place, in the same copy. */
static bool branch_repeats(const struct gathered *branch, const struct gathered *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (&records[i] != branch && records[i].group == branch->group &&
            records[i].copy == branch->copy && records[i].kind == SIGHTING_BRANCH &&
            (records[i].block == branch->next[0] || records[i].block == branch->next[1]))
            return true;
    return false;
}

/* Whether one copy has several branches of a place, and others of the line have none or lead from
 * one to the next: a condition that became two, or several that became one, may have the place of
 * either.
 */
static bool branches_moved(const struct line_groups *groups, uint32_t whole,
                           const struct gathered *records, size_t n)
{
    bool crowded = false, lost = false, repeats = false;
    uint32_t places = 0;
    for (uint32_t g = whole + 1; g < groups->n && groups->at[g].whole == whole; g++) {
        const struct gathered *last = NULL;
        for (size_t i = 0; i < n && groups->at[g].what == GROUP_BRANCH; i++) {
            if (records[i].group != g || records[i].kind != SIGHTING_BRANCH)
                continue;
            crowded |= last && last->copy == records[i].copy && last->block != records[i].block;
            repeats |= groups->at[g].n == 1 && branch_repeats(&records[i], records, n);
            last = &records[i];
        }
        places += groups->at[g].what == GROUP_BRANCH;
        lost |= groups->at[g].what == GROUP_BRANCH && !last;
    }
    return (crowded && lost) || (repeats && places > 1);
}

/* Where that is so, they are of the line. */
static void branches_settle(struct gathering *gathering)
{
    struct gathered_list *records = &gathering->records;
    bool moved = false;
    for (size_t i = 0, end; i < records->n; i = end) {
        const struct gathered *first = &records->at[i];
        const struct line_groups *groups = gathering->groups[first->function];
        uint32_t whole = groups->at[first->group].whole;
        for (end = i; end < records->n && records->at[end].function == first->function &&
                      groups->at[records->at[end].group].whole == whole;)
            end++;
        if (!branches_moved(groups, whole, first, end - i))
            continue;
        for (size_t k = i; k < end; k++)
            if (records->at[k].kind == SIGHTING_BRANCH)
                records->at[k].group = whole;
        moved = true;
    }
    if (moved)
        qsort(records->at, records->n, sizeof *records->at, record_order);
}

void records_sum(struct gathering *gathering)
{
    const struct gathered_list *records = &gathering->records;
    if (records->n)
        qsort(records->at, records->n, sizeof *records->at, record_order);
    branches_settle(gathering);
    for (size_t i = 0, line; i < records->n; i = line) {
        for (line = i; line < records->n && same_line(&records->at[i], &records->at[line]);)
            line++;
        bool by_column = line_by_column(gathering, &records->at[i], line - i);
        struct sightings *sightings = &gathering->result->functions[records->at[i].function];
        size_t first = sightings->n;
        for (size_t k = i, end; k < line; k = end) {
            for (end = k; end < line && same_place(&records->at[k], &records->at[end]);)
                end++;
            place_sum(gathering, &records->at[k], end - k, by_column);
        }
        for (size_t k = first; k < sightings->n; k++)
            sightings->at[k].by_column = by_column;
    }
}
