#include "export/gcda/called_copies.h"

#include "export/gcda/gathering.h"
#include "profile/profile.h"

#include <stdlib.h>

/* A function may be inlined in one that is inlined itself, and so on. */
enum { DEALT_MOST = 4, RECORDS_MOST = 1 << 22 };

struct inlined_pair {
    uint32_t caller, callee;
};

void called_copies_open(struct called_copies *copies)
{
    *copies = (struct called_copies){0};
    map_init(&copies->inlined, sizeof(struct inlined_pair));
}

void called_copies_close(struct called_copies *copies)
{
    map_release(&copies->inlined);
    vec_release(&copies->totals);
    vec_release(copies);
}

static uint32_t number_of(const struct gathering *gathering, const struct chain_link *link)
{
    return gathering->result->first[link->function.object] + link->function.function;
}

void called_copies_see(struct gathering *gathering)
{
    const struct chains *chains = &gathering->chains;
    for (size_t outer = 1; outer < chains->n; outer++)
        for (size_t inner = 0; inner < outer; inner++) {
            if (!chains->at[outer].known || !chains->at[inner].known)
                continue;
            struct inlined_pair pair = {number_of(gathering, &chains->at[outer]),
                                        number_of(gathering, &chains->at[inner])};
            map_add(&gathering->copies.inlined, &pair);
        }
}

/* ---- which there are */

/* The outermost function around the call whose graph has lines of what is called, though the
 * program has no copy of it there. */
static void copy_find(struct gathering *gathering, const struct chain_link *callee,
                      const struct code_call *call)
{
    const struct chains *chains = &gathering->chains;
    uint32_t number = number_of(gathering, callee);
    chains_find(&gathering->chains, (struct svma){call->from});
    for (size_t i = chains->n; i-- > 0;) {
        const struct chain_link *caller = &chains->at[i];
        struct inlined_pair pair = {0, number};
        if (!caller->known)
            continue;
        pair.caller = number_of(gathering, caller);
        if (pair.caller == number || map_find(&gathering->copies.inlined, &pair) != MAP_NONE ||
            !line_groups_have(gathering->groups[pair.caller],
                              objects_function(gathering->objects, callee->function)))
            continue;
        *vec_push(&gathering->copies) = (struct called_copy){.callee = number,
                                                             .caller = pair.caller,
                                                             .line = caller->line,
                                                             .column = caller->column,
                                                             .calls = call->count};
        return;
    }
}

static int copy_order(const void *a, const void *b)
{
    const struct called_copy *x = a, *y = b;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static void copies_find(struct gathering *gathering)
{
    struct called_copies *copies = &gathering->copies;
    const struct code_calls *calls = &gathering->code->calls;
    vec_room(&copies->totals, gathering->result->n_functions);
    while (copies->totals.n < gathering->result->n_functions)
        *vec_push(&copies->totals) = 0;
    for (size_t i = 0; i < calls->n; i++) {
        if (!calls->at[i].to_us)
            continue;
        chains_find(&gathering->chains, (struct svma){calls->at[i].to});
        if (!gathering->chains.n || !gathering->chains.at[gathering->chains.n - 1].known)
            continue;
        const struct chain_link callee = gathering->chains.at[gathering->chains.n - 1];
        copies->totals.at[number_of(gathering, &callee)] += calls->at[i].count;
        if (calls->at[i].from_us && calls->at[i].kind == EDGE_CALL)
            copy_find(gathering, &callee, &calls->at[i]);
    }
    if (copies->n)
        qsort(copies->at, copies->n, sizeof *copies->at, copy_order);
}

/* ---- dealing */

static uint64_t share_of(uint64_t count, uint64_t calls, uint64_t total)
{
    return (uint64_t)(((u128)count * calls + total / 2) / total);
}

/* The same place in the graph of another function. */
static uint32_t group_in(const struct gathering *gathering, uint32_t function, uint32_t group,
                         uint32_t other)
{
    if (group == GROUP_NONE)
        return GROUP_NONE;
    const struct line_group *at = &gathering->groups[function]->at[group];
    return line_groups_place(gathering->groups[other], at->name, at->line, at->column,
                             (enum group_what)at->what);
}

static void record_scale(struct gathered *record, uint64_t calls, uint64_t total)
{
    record->count = share_of(record->count, calls, total);
    record->ways[0] = share_of(record->ways[0], calls, total);
    record->ways[1] = share_of(record->ways[1], calls, total);
}

static bool record_give(struct gathering *gathering, size_t i, const struct called_copy *copy)
{
    struct gathered record = gathering->records.at[i];
    uint32_t from = record.function;
    struct instance_key key = {.function = copy->caller,
                               .origin = (uint64_t)copy->callee << 32 | 1,
                               .calls = {(uint64_t)copy->line << 32 | copy->column}};
    record.group = group_in(gathering, from, record.group, copy->caller);
    if (record.group == GROUP_NONE)
        return false;
    const struct line_group *group = &gathering->groups[copy->caller]->at[record.group];
    record.function = copy->caller;
    record.copy = (const void *)copy;
    record.dealt++;
    record.instance = 1 + instances_add(&gathering->instances, &key, group->line, group->whole);
    for (int way = 0; way < 2; way++)
        for (int k = 0; k < WAY_LINES; k++)
            record.to[way][k] = group_in(gathering, from, record.to[way][k], copy->caller);
    record_scale(&record, copy->calls, gathering->copies.totals.at[copy->callee]);
    *vec_push(&gathering->records) = record;
    return true;
}

/* The copies of a function: from the result up to *ret_end. */
static size_t copies_of(const struct called_copies *copies, uint32_t callee, size_t *ret_end)
{
    size_t low = 0, high = copies->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (copies->at[middle].callee < callee)
            low = middle + 1;
        else
            high = middle;
    }
    for (*ret_end = low; *ret_end < copies->n && copies->at[*ret_end].callee == callee;)
        ++*ret_end;
    return low;
}

void called_copies_deal(struct gathering *gathering)
{
    struct called_copies *copies = &gathering->copies;
    copies_find(gathering);
    for (size_t i = 0; copies->n && i < gathering->records.n && i < RECORDS_MOST; i++) {
        const struct gathered record = gathering->records.at[i];
        size_t end, first = copies_of(copies, record.function, &end);
        uint64_t total = copies->totals.at[record.function], given = 0;
        bool entry = record.kind == SIGHTING_ENTRY || record.kind == SIGHTING_ENTERED;
        if (!record.own || record.dealt == DEALT_MOST || !total || record.kind == SIGHTING_ARRIVAL)
            continue;
        for (size_t k = first; k < end; k++)
            if (entry || record_give(gathering, i, &copies->at[k]))
                given += copies->at[k].calls;
        record_scale(&gathering->records.at[i], total > given ? total - given : 0, total);
    }
}
