/* Which addresses an entry covers: low and high, or a list of ranges. */
#pragma once

#include "base/vec.h"
#include "program/dwarf/dwarf_unit.h"

#include <stdatomic.h>

struct address_range {
    uint64_t start, end;
};
struct address_ranges {
    VEC(struct address_range);
};

/* How many entries of range lists may still be read. Every honest list belongs to one entry, so all
 * together have no more than their sections hold; lists that are used again and again would make a
 * small file as slow as a large one. Shared by threads. */
struct range_budget {
    atomic_uint_least64_t left;
};
void range_budget_init(struct range_budget *budget, const struct dwarf_sections *sections);
void range_budget_add(struct range_budget *budget, const struct dwarf_sections *sections);

/* Appends them, empty ones left out. False: a list that makes no sense; what came before its break
 * is there. */
bool dwarf_ranges_read(struct address_ranges *ranges, const struct dwarf_unit *unit,
                       const struct die *die, struct range_budget *budget);
