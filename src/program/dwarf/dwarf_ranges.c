#include "program/dwarf/dwarf_ranges.h"

#include <dwarf.h>

void range_budget_init(struct range_budget *budget, const struct dwarf_sections *sections)
{
    atomic_init(&budget->left, 64);
    range_budget_add(budget, sections);
}

void range_budget_add(struct range_budget *budget, const struct dwarf_sections *sections)
{
    atomic_fetch_add(&budget->left, sections->at[DWARF_RANGES].n + sections->at[DWARF_RNGLISTS].n);
}

static void range_add(struct address_ranges *ranges, uint64_t start, uint64_t end)
{
    if (start < end)
        *vec_push(ranges) = (struct address_range){start, end};
}

/* ---- before DWARF 5: pairs of addresses */

static bool pairs_read(struct address_ranges *ranges, const struct dwarf_unit *unit,
                       uint64_t offset, uint64_t *entries)
{
    struct cursor cursor =
        dwarf_cursor(unit->ranges_sections, DWARF_RANGES, unit->ranges_base + offset);
    uint64_t base = unit->low_pc;
    while (!cursor.bad && *entries) {
        uint64_t start = cursor_u64(&cursor), end = cursor_u64(&cursor);
        --*entries;
        if (cursor.bad)
            return false;
        if (!start && !end)
            return true;
        if (start == UINT64_MAX)
            base = end;
        else
            range_add(ranges, base + start, base + end);
    }
    return false;
}

/* ---- DWARF 5: entries of several kinds */

static bool list_entry_read(struct address_ranges *ranges, const struct dwarf_unit *unit,
                            struct cursor *cursor, uint8_t kind, uint64_t *base)
{
    uint64_t start, end;
    switch (kind) {
    case DW_RLE_base_addressx: return dwarf_indexed_address(unit, cursor_uleb(cursor), base);
    case DW_RLE_startx_endx:
        if (!dwarf_indexed_address(unit, cursor_uleb(cursor), &start) ||
            !dwarf_indexed_address(unit, cursor_uleb(cursor), &end))
            return false;
        break;
    case DW_RLE_startx_length:
        if (!dwarf_indexed_address(unit, cursor_uleb(cursor), &start))
            return false;
        end = start + cursor_uleb(cursor);
        break;
    case DW_RLE_offset_pair:
        start = *base + cursor_uleb(cursor);
        end = *base + cursor_uleb(cursor);
        break;
    case DW_RLE_base_address: *base = cursor_u64(cursor); return true;
    case DW_RLE_start_end:
        start = cursor_u64(cursor);
        end = cursor_u64(cursor);
        break;
    case DW_RLE_start_length:
        start = cursor_u64(cursor);
        end = start + cursor_uleb(cursor);
        break;
    default: return false;
    }
    if (cursor->bad)
        return false;
    range_add(ranges, start, end);
    return true;
}

static bool list_read(struct address_ranges *ranges, const struct dwarf_unit *unit, uint64_t offset,
                      uint64_t *entries)
{
    struct cursor cursor = dwarf_cursor(unit->sections, DWARF_RNGLISTS, offset);
    uint64_t base = unit->low_pc;
    while (!cursor.bad && *entries) {
        uint8_t kind = cursor_u8(&cursor);
        --*entries;
        if (kind == DW_RLE_end_of_list)
            return !cursor.bad;
        if (!list_entry_read(ranges, unit, &cursor, kind, &base))
            return false;
    }
    return false;
}

/* ---- both */

static bool list_offset(const struct dwarf_unit *unit, const struct die *die, uint64_t *ret_offset)
{
    uint64_t value = die->value[DIE_RANGES];
    if (die->form[DIE_RANGES] != DW_FORM_rnglistx) {
        *ret_offset = value;
        return true;
    }
    unsigned bytes = unit->widths.offset_bytes;
    if (value > UINT32_MAX)
        return false;
    struct cursor cursor =
        dwarf_cursor(unit->sections, DWARF_RNGLISTS, unit->rnglists_base + value * bytes);
    *ret_offset = unit->rnglists_base + cursor_offset(&cursor, bytes);
    return !cursor.bad;
}

static bool lists_read(struct address_ranges *ranges, const struct dwarf_unit *unit,
                       const struct die *die, struct range_budget *budget)
{
    uint64_t offset, room = atomic_load_explicit(&budget->left, memory_order_relaxed), left = room;
    if (!list_offset(unit, die, &offset))
        return false;
    bool whole = unit->widths.version < 5 ? pairs_read(ranges, unit, offset, &left)
                                          : list_read(ranges, unit, offset, &left);
    uint64_t used = room - left;
    /* Threads may together use a little more than there is; none uses more than it saw. */
    uint64_t now = atomic_load_explicit(&budget->left, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&budget->left, &now, now > used ? now - used : 0,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    return whole;
}

bool dwarf_ranges_read(struct address_ranges *ranges, const struct dwarf_unit *unit,
                       const struct die *die, struct range_budget *budget)
{
    if (die_has(die, DIE_RANGES))
        return lists_read(ranges, unit, die, budget);
    uint64_t low, high;
    if (!die_has(die, DIE_LOW) || !die_has(die, DIE_HIGH))
        return true;
    if (!die_address(unit, die, DIE_LOW, &low))
        return false;
    /* An address, or else how far it is to there. */
    if (!die_address(unit, die, DIE_HIGH, &high))
        high = low + die->value[DIE_HIGH];
    range_add(ranges, low, high);
    return true;
}
