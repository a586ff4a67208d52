/* The addresses of an entry: low and high, or a list of ranges. */
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

/* Entries of range lists that may still be read. A valid list belongs to one entry, so all together
 * fit their sections. Lists that are reused would make a small hostile file as slow as a large one.
 * Shared by threads. */
struct range_budget {
    atomic_uint_least64_t left;
};
void range_budget_init(struct range_budget *budget, const struct dwarf_sections *sections);
void range_budget_add(struct range_budget *budget, const struct dwarf_sections *sections);

/* Appends them without empty ones. False: a broken list; the part before the damage is kept. */
bool dwarf_ranges_read(struct address_ranges *ranges, const struct dwarf_unit *unit,
                       const struct die *die, struct range_budget *budget);
