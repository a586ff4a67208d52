#include "program/unwind/unwind.h"

#include "base/map.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_build.h"
#include "program/unwind/unwind_derive.h"
#include "program/unwind/unwind_entries.h"
#include "program/unwind/unwind_program.h"
#include "program/unwind/unwind_sections.h"

#include <string.h>

/* ---- expressions */

/* Files repeat few of them; looking back without end would let a hostile one take for ever. */
enum { LOOK_BACK = 64 };

int32_t unwind_expressions_add(struct unwind_expressions *expressions, const uint8_t *bytes,
                               size_t n)
{
    size_t from = expressions->n > LOOK_BACK ? expressions->n - LOOK_BACK : 0;
    for (size_t i = from; i < expressions->n; i++)
        if (expressions->at[i].bytes == n &&
            memcmp(expressions->code.at + expressions->at[i].start, bytes, n) == 0)
            return (int32_t)i;
    size_t start = expressions->code.n;
    for (size_t i = 0; i < n; i++)
        *vec_push(&expressions->code) = bytes[i];
    *vec_push(expressions) = (struct unwind_expression){(uint32_t)start, (uint32_t)n};
    return (int32_t)expressions->n - 1;
}

void unwind_expressions_release(struct unwind_expressions *expressions)
{
    vec_release(&expressions->code);
    vec_release(expressions);
}

/* ---- rows */

struct builder {
    struct unwind *unwind;
    struct map rules;
    uint64_t start, end; /* of the entry, as far as its code is its own */
};

static void row_push(struct unwind *unwind, uint64_t start, uint32_t rule)
{
    struct unwind_rows *rows = &unwind->rows;
    uint32_t above = (uint32_t)(start - unwind->base.v);
    /* An entry without a gap to the last one takes the place of that one's end. */
    if (rows->n && rows->at[rows->n - 1].start == above)
        rows->n--;
    if (rows->n && rows->at[rows->n - 1].rule == rule)
        return;
    *vec_push(rows) = (struct unwind_row){above, rule};
}

static void builder_emit(void *closure, struct svma start, const struct unwind_rule *rule)
{
    struct builder *builder = closure;
    struct unwind *unwind = builder->unwind;
    if (start.v >= builder->end)
        return;
    uint32_t index = UNWIND_NO_ROW;
    if (rule) {
        index = map_add(&builder->rules, rule);
        if (index == unwind->rules.n)
            *vec_push(&unwind->rules) = *rule;
    }
    row_push(unwind, start.v, index);
}

/* Rows count from the base with 32 bits; no image is larger, unless its headers lie. */
static bool entry_fits(const struct unwind *unwind, const struct unwind_entry *entry)
{
    return entry->start.v >= unwind->base.v &&
           entry->start.v + entry->bytes - unwind->base.v < UINT32_MAX;
}

static void builder_add(struct builder *builder, const struct unwind_entries *entries, size_t i)
{
    const struct unwind_entry *entry = &entries->at[i];
    uint64_t end = entry->start.v + entry->bytes;
    /* Where entries overlap, code belongs to the one that starts last before it. */
    for (size_t next = i + 1; next < entries->n; next++)
        if (entries->at[next].start.v > entry->start.v) {
            if (entries->at[next].start.v < end)
                end = entries->at[next].start.v;
            break;
        }
    builder->start = entry->start.v;
    builder->end = end;
    if (unwind_program_run(entry, &entries->cies.at[entry->cie], &builder->unwind->expressions,
                           builder_emit, builder))
        builder->unwind->entries++;
    else
        builder->unwind->unreadable++;
    row_push(builder->unwind, end, UNWIND_NO_ROW);
}

/* ---- index */

/* As many cells as rows, or half of them: then a question looks at one or two rows. */
static void index_build(struct unwind *unwind)
{
    const struct unwind_rows *rows = &unwind->rows;
    unwind->shift = 0;
    unwind->index.n = 0;
    if (!rows->n)
        return;
    uint32_t last = rows->at[rows->n - 1].start;
    while ((last >> unwind->shift) > rows->n)
        unwind->shift++;
    size_t cells = (last >> unwind->shift) + 1, row = 0;
    vec_reserve(&unwind->index, cells);
    for (size_t i = 0; i < cells; i++) {
        while (row + 1 < rows->n && rows->at[row + 1].start <= (uint64_t)i << unwind->shift)
            row++;
        *vec_push(&unwind->index) = (uint32_t)row;
    }
}

/* The row of an address, or how many there are. */
static size_t row_find(const struct unwind *unwind, struct svma at)
{
    const struct unwind_rows *rows = &unwind->rows;
    uint64_t above = at.v - unwind->base.v;
    if (!rows->n || above >= UINT32_MAX)
        return rows->n;
    uint64_t cell = above >> unwind->shift;
    if (cell >= unwind->index.n)
        return rows->n; /* behind the last row, which has no rule */
    size_t row = unwind->index.at[cell];
    if (rows->at[row].start > above)
        return rows->n; /* before the first */
    while (row + 1 < rows->n && rows->at[row + 1].start <= above)
        row++;
    return row;
}

static const struct unwind_rule *row_rule(const struct unwind *unwind, size_t row)
{
    uint32_t rule = row < unwind->rows.n ? unwind->rows.at[row].rule : UNWIND_NO_ROW;
    return rule == UNWIND_NO_ROW ? NULL : &unwind->rules.at[rule];
}

const struct unwind_rule *unwind_find(const struct unwind *unwind, struct svma at)
{
    return row_rule(unwind, row_find(unwind, at));
}

/* Such a function saves rax and rdx, in which a landing pad gets what it needs; no other does. */
static bool saves_for_landing(const struct unwind_rule *rule)
{
    enum { RAX_AND_RDX = 3 };
    return rule && (rule->columns & RAX_AND_RDX) == RAX_AND_RDX;
}

static bool ends_at_rcx(const struct unwind_rule *rule)
{
    enum { RCX = 2 };
    return saves_for_landing(rule) && rule->cfa == CFA_REGISTER && rule->cfa_register == RCX;
}

bool unwind_eh_return(const struct unwind *unwind, struct svma at, struct svma *ret_end)
{
    size_t row = row_find(unwind, at);
    while (saves_for_landing(row_rule(unwind, row)))
        if (ends_at_rcx(row_rule(unwind, ++row))) {
            *ret_end = (struct svma){unwind->base.v + unwind->rows.at[row].start};
            return true;
        }
    return false;
}

/* mov %rcx,%rsp; pop %rcx; jmp *%rcx: each has its row. */
bool unwind_eh_returns(const struct unwind *unwind, struct svma at)
{
    enum { ROWS = 3 };
    size_t row = row_find(unwind, at), i = 0;
    while (i < ROWS && i <= row && saves_for_landing(row_rule(unwind, row - i)) &&
           !ends_at_rcx(row_rule(unwind, row - i)))
        i++;
    return i < ROWS && i <= row && ends_at_rcx(row_rule(unwind, row - i));
}

/* ---- an image */

void unwind_build_entries(struct unwind *unwind, struct unwind_entries *entries, struct svma base)
{
    *unwind = (struct unwind){.base = base, .unreadable = entries->unreadable};
    struct builder builder = {.unwind = unwind};
    map_init(&builder.rules, sizeof(struct unwind_rule));
    unwind_entries_sort(entries);
    for (size_t i = 0; i < entries->n; i++) {
        if (i && entries->at[i].start.v == entries->at[i - 1].start.v)
            continue;
        if (entry_fits(unwind, &entries->at[i]))
            builder_add(&builder, entries, i);
        else
            unwind->unreadable++;
    }
    map_release(&builder.rules);
    index_build(unwind);
}

/* Puts rules into rows that have none. */
static void rows_add_derived(struct unwind *unwind, const struct deriveds *deriveds)
{
    struct unwind_rows old = unwind->rows;
    struct map rules;
    map_init(&rules, sizeof(struct unwind_rule));
    size_t first = unwind->rules.n, next = 0;
    unwind->rows = (struct unwind_rows){0};
    for (size_t i = 0; i < deriveds->n; i++) {
        const struct derived *derived = &deriveds->at[i];
        uint64_t above = derived->start.v - unwind->base.v;
        if (above + derived->bytes >= UINT32_MAX)
            break;
        while (next < old.n && old.at[next].start <= above) {
            row_push(unwind, unwind->base.v + old.at[next].start, old.at[next].rule);
            next++;
        }
        size_t index = first + map_add(&rules, &derived->rule);
        if (index == unwind->rules.n)
            *vec_push(&unwind->rules) = derived->rule;
        row_push(unwind, derived->start.v, (uint32_t)index);
        row_push(unwind, derived->start.v + derived->bytes, UNWIND_NO_ROW);
    }
    for (; next < old.n; next++)
        row_push(unwind, unwind->base.v + old.at[next].start, old.at[next].rule);
    map_release(&rules);
    vec_release(&old);
}

void unwind_add_derived(struct unwind *unwind, const struct deriveds *deriveds)
{
    unwind->derived = deriveds->n;
    if (deriveds->n) {
        rows_add_derived(unwind, deriveds);
        index_build(unwind);
    }
}

void unwind_build(struct unwind *unwind, const struct image *image)
{
    struct unwind_entries entries = {0};
    unwind_entries_read_eh(&entries, image);
    unwind_entries_read_debug(&entries, image);
    unwind_build_entries(unwind, &entries, image->segments.at[0].start);
    unwind_entries_release(&entries);
    struct deriveds deriveds;
    unwind_derive(&deriveds, unwind, image);
    unwind_add_derived(unwind, &deriveds);
    deriveds_release(&deriveds);
}

void unwind_release(struct unwind *unwind)
{
    vec_release(&unwind->rows);
    vec_release(&unwind->rules);
    vec_release(&unwind->index);
    unwind_expressions_release(&unwind->expressions);
    *unwind = (struct unwind){0};
}
