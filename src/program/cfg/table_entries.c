#include "program/cfg/table_entries.h"

#include "program/cfg/cfg.h"
#include "program/elf/evidence.h"
#include "program/elf/image.h"
#include "program/symbols/symbols.h"
#include "program/cfg/jump_search.h"
#include "program/cfg/tracker.h"

#include <stdlib.h>
#include <string.h>

/* More entries than any compiler makes; a range that says more says nothing. */
enum { ENTRIES_MAX = 1 << 16 };

static int target_order(const void *a, const void *b)
{
    const struct svma *x = a, *y = b;
    return x->v < y->v ? -1 : x->v > y->v;
}

/* An entry of which the index was checked is what it is, wherever it leads; any other must lead
 * where this function goes. */
static bool target_possible(const struct jump_search *search, const struct jump *jump, bool proved,
                            struct svma target)
{
    if (cfg_find(search->cfg, target) != INSTRUCTION_NONE)
        return true;
    if (proved)
        return image_executable(search->image, target);
    function_id function = symbols_find(search->symbols, target);
    return jump->tail && function != FUNCTION_NONE &&
           search->symbols->functions.at[function].start.v == target.v;
}

/* Appends the targets of the table's entries, each once. False: one of them leads nowhere. */
static bool entries_read(const struct jump_search *search, const struct jump *jump, bool proved,
                         struct jump_targets *targets)
{
    for (uint64_t i = 0; i < jump->n; i++) {
        struct svma at = {jump->table.v + (jump->first + i) * jump->entry_bytes}, target;
        if (!evidence_number(&search->symbols->evidence, search->image, at, jump->entry_bytes,
                             &target.v))
            return false;
        if (jump->entry_bytes == 4)
            target.v += jump->base.v;
        if (cfg_ends_at(search->cfg, target) && !cfg_covers(search->cfg, target))
            continue;
        if (!target_possible(search, jump, proved, target))
            return false;
        *vec_push(targets) = target;
    }
    size_t kept = 0;
    if (targets->n)
        qsort(targets->at, targets->n, sizeof *targets->at, target_order);
    for (size_t i = 0; i < targets->n; i++)
        if (!kept || targets->at[kept - 1].v != targets->at[i].v)
            targets->at[kept++] = targets->at[i];
    targets->n = kept;
    return true;
}

void tables_read_release(struct tables_read *read)
{
    for (uint32_t i = 0; i < TABLES_READ; i++)
        vec_release(&read->of[i].targets);
}

static bool is_reading(const struct table_reading *reading, const struct jump *jump, bool proved)
{
    return reading->n == jump->n && reading->table.v == jump->table.v &&
           reading->first == jump->first && reading->base.v == jump->base.v &&
           reading->entry_bytes == jump->entry_bytes && reading->proved == proved &&
           reading->tail == jump->tail;
}

/* Handlers of an interpreter share one table, and each is come to several times. */
static const struct table_reading *reading_get(const struct jump_search *search,
                                               const struct jump *jump, bool proved)
{
    struct tables_read *read = search->read;
    for (uint32_t i = 0; i < TABLES_READ; i++)
        if (is_reading(&read->of[i], jump, proved))
            return &read->of[i];
    struct table_reading *reading = &read->of[read->next++ % TABLES_READ];
    struct jump_targets targets = reading->targets;
    targets.n = 0;
    *reading = (struct table_reading){.table = jump->table,
                                      .base = jump->base,
                                      .first = jump->first,
                                      .n = jump->n,
                                      .entry_bytes = jump->entry_bytes,
                                      .proved = proved,
                                      .tail = jump->tail};
    reading->sound = entries_read(search, jump, proved, &targets);
    reading->targets = targets;
    return reading;
}

/* Appends the targets of the table's entries. False: one of them leads nowhere. */
static bool entries_append(const struct jump_search *search, struct jump *jump, bool proved)
{
    struct jump_targets *targets = &search->jumps->targets;
    const struct table_reading *reading = reading_get(search, jump, proved);
    size_t start = targets->n, n = reading->targets.n;
    if (!reading->sound)
        return false;
    jump->first_target = (uint32_t)start;
    jump->n_targets = (uint32_t)n;
    if (!n)
        return true;
    vec_room(targets, start + n);
    memcpy(targets->at + start, reading->targets.at, n * sizeof *targets->at);
    targets->n = start + n;
    return true;
}

/* Tries the entries from jump->first up to `last`; false: nothing has changed. */
static bool entries_try(const struct jump_search *search, struct jump *jump, uint64_t last,
                        bool proved)
{
    if (last < jump->first || last - jump->first >= ENTRIES_MAX)
        return false;
    jump->n = last - jump->first + 1;
    return search_takes(search, jump->n) && entries_append(search, jump, proved);
}

/* Where the next table of this function starts. */
static uint64_t next_table(const struct jumps *jumps, const struct jump *except, uint64_t after)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < jumps->n; i++) {
        const struct jump *jump = &jumps->at[i];
        if (jump == except)
            continue;
        uint64_t start = jump->table.v + jump->first * jump->entry_bytes;
        if (jump->entry_bytes && start > after && start < next)
            next = start;
    }
    return next;
}

/* Whether a table of this function that is known reaches up to here. */
static bool table_ends(const struct jumps *jumps, uint64_t at)
{
    for (size_t i = 0; i < jumps->n; i++) {
        const struct jump *jump = &jumps->at[i];
        if (jump->entry_bytes && jump->n &&
            jump->table.v + (jump->first + jump->n) * jump->entry_bytes == at)
            return true;
    }
    return false;
}

enum pointer_kind { POINTER_NONE, POINTER_INNER, POINTER_END };

/* A pointer that linker or loader put there, to the inside of this function, where only its own
 * jumps go, or to its very end. */
static enum pointer_kind pointer_at(const struct jump_search *search, uint64_t at)
{
    struct svma target;
    if (!evidence_pointer(&search->symbols->evidence, (struct svma){at}) ||
        !evidence_number(&search->symbols->evidence, search->image, (struct svma){at}, 8,
                         &target.v))
        return POINTER_NONE;
    if (cfg_find(search->cfg, target) != INSTRUCTION_NONE && target.v != search->cfg->entry.v)
        return POINTER_INNER;
    return cfg_ends_at(search->cfg, target) ? POINTER_END : POINTER_NONE;
}

/* Up to the last that goes inside: what follows it to the end cannot happen, or is not of this
 * table. */
static uint64_t pointers_run(const struct jump_search *search, uint64_t start, uint64_t end)
{
    struct tables_read *read = search->read;
    if (read->counted.start == start && read->counted.end == end)
        return read->counted.n;
    uint64_t n = 0;
    for (uint64_t i = 0; i < ENTRIES_MAX && start + i * 8 < end; i++) {
        enum pointer_kind kind = pointer_at(search, start + i * 8);
        if (kind == POINTER_NONE)
            break;
        if (kind == POINTER_INNER)
            n = i + 1;
    }
    read->counted.start = start;
    read->counted.end = end;
    read->counted.n = n;
    return n;
}

/* The entries of a table of addresses that nothing else bounds: such pointers, up to where another
 * jump's table starts, if none stands before them but those of another table. If the table's
 * address may have a bias in it, its first entry is not known either: then they must be the only
 * such pointers around, and this the only jump to them. */
static uint64_t pointers_count(const struct jump_search *search, struct jump *jump, bool folded)
{
    enum { BIAS_MAX = 256 };
    uint64_t start = jump->table.v + jump->first * 8;
    uint64_t end = next_table(search->jumps, jump, jump->table.v);
    bool begins = evidence_begins(&search->symbols->evidence, (struct svma){start}) ||
                  pointer_at(search, start - 8) == POINTER_NONE || table_ends(search->jumps, start);
    if (!folded)
        return begins ? pointers_run(search, start, end) : 0;
    if (jump->first || pointer_at(search, start - 8) != POINTER_NONE)
        return 0;
    while (jump->first < BIAS_MAX && pointer_at(search, start + jump->first * 8) == POINTER_NONE)
        jump->first++;
    start += jump->first * 8;
    uint64_t n = pointers_run(search, start, UINT64_MAX);
    if (n && end >= start + (n + BIAS_MAX) * 8)
        return n;
    jump->first = 0;
    return 0;
}

/* A table that is counted from its own address is a compiler's switch, and so is one of addresses
 * that has no name where objects have: then its index, wherever it was kept, is the compiler's own.
 */
static bool index_counts(const struct jump_search *search, const struct jump *jump,
                         const struct table_load *load)
{
    bool counted = jump->entry_bytes == 4 && jump->base.v == jump->table.v;
    return !load->weak || counted ||
           (jump->entry_bytes == 8 && evidence_nameless(&search->symbols->evidence, jump->table));
}

/* What bounds the index may have been overwritten since. Then the table must end where that says:
 * what follows is another table, or leads out of the function. */
static bool ends_naturally(const struct jump_search *search, const struct jump *jump)
{
    struct svma at = {jump->table.v + (jump->first + jump->n) * jump->entry_bytes}, target;
    if (next_table(search->jumps, jump, at.v - 1) == at.v ||
        evidence_begins(&search->symbols->evidence, at) ||
        !evidence_number(&search->symbols->evidence, search->image, at, jump->entry_bytes,
                         &target.v))
        return true;
    if (jump->entry_bytes == 4)
        target.v += jump->base.v;
    return cfg_find(search->cfg, target) == INSTRUCTION_NONE;
}

static enum cfg_reason entries_settle(const struct jump_search *search, struct jump *jump,
                                      bool weak)
{
    if (!weak || ends_naturally(search, jump))
        return REASON_NONE;
    search->jumps->targets.n = jump->first_target;
    jump->n = jump->n_targets = 0;
    return REASON_UNTRACKED;
}

enum cfg_reason table_resolve(const struct jump_search *search, struct jump *jump,
                              const struct table_load *load)
{
    const struct value_range *index = &load->index;
    jump->table.v = load->table;
    jump->entry_bytes = load->bytes;
    jump->first = index->low < ENTRIES_MAX ? index->low : 0;
    struct svma at = {jump->table.v + jump->first * jump->entry_bytes};
    if (!evidence_constant(&search->symbols->evidence, at))
        return REASON_WRITABLE;
    /* Without a check the index may be negative, and the address one inside of its table, or of the
     * table before: how far that reaches says something only from its first entry on. */
    bool bounded = index->limit != LIMIT_NONE;
    uint64_t extent = 0;
    if (bounded || evidence_begins(&search->symbols->evidence, at))
        extent = evidence_extent(&search->symbols->evidence, at) / jump->entry_bytes;
    if (!extent && index->limit == LIMIT_NONE && jump->entry_bytes == 8)
        extent = pointers_count(search, jump, load->folded);
    uint64_t last = extent ? jump->first + extent - 1 : UINT64_MAX;
    bool checked = index_counts(search, jump, load) && index->limit != LIMIT_NONE;
    /* As far as was checked, which is the table that was made; else as far as the index goes. */
    if (checked && entries_try(search, jump, index->limit, index->limit == index->high))
        return entries_settle(search, jump, load->weak);
    bool proved = extent || checked;
    if (index_counts(search, jump, load) && index->high < last)
        last = index->high;
    if (entries_try(search, jump, last, checked))
        return entries_settle(search, jump, load->weak);
    return proved && last - jump->first < ENTRIES_MAX ? REASON_ENTRY : REASON_UNBOUNDED;
}
