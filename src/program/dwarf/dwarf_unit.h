/* Units of .debug_info: headers, first entries, and reading other entries. */
#pragma once

#include "base/vec.h"
#include "program/dwarf/dwarf_abbrev.h"
#include "program/dwarf/dwarf_sections.h"

#include <stdbool.h>
#include <stdint.h>

#define OFFSET_NONE UINT64_MAX

struct dwarf_unit {
    const struct dwarf_sections *sections;
    const struct abbrevs *abbrevs; /* NULL: broken, not readable */
    uint64_t offset, end;          /* in .debug_info */
    uint64_t first_die;
    struct dwarf_widths widths;
    uint8_t type; /* DW_UT_... */

    /* from its first entry */
    const char *comp_dir, *dwo_name; /* or NULL */
    uint64_t dwo_id;                 /* 0: none */
    uint64_t low_pc;                 /* base of ranges */
    uint64_t stmt_list;              /* of its line table, or OFFSET_NONE */

    /* Bases of indices. For a split unit, addresses and (before DWARF 5) ranges are in the linked
     * file. */
    const struct dwarf_sections *addr_sections, *ranges_sections;
    uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
};
struct dwarf_units {
    VEC(struct dwarf_unit); /* by offset */
};

/* One entry, with the attributes of enum die_attribute. */
struct die {
    const struct abbrev *abbrev;
    uint64_t offset;
    uint32_t has; /* 1 << enum die_attribute */
    uint64_t value[DIE_ATTRIBUTES_N];
    uint16_t form[DIE_ATTRIBUTES_N];
};

static inline bool die_has(const struct die *die, enum die_attribute attribute)
{
    return die->has >> attribute & 1;
}

/* The part of each section for a unit of a .dwp file; zero elsewhere. */
struct dwarf_part {
    uint64_t abbrev, str_offsets, rnglists;
};

/* Reads all headers and first entries. A broken unit is noted as damage and skipped; reading ends
 * where a length is invalid. */
void dwarf_units_read(struct dwarf_units *units, struct dwarf_sections *sections,
                      struct abbrev_cache *cache);
/* The unit at an offset; false: none, or broken. */
bool dwarf_unit_read(struct dwarf_unit *unit, struct dwarf_sections *sections,
                     struct abbrev_cache *cache, uint64_t offset, const struct dwarf_part *part);
/* NULL: no unit contains the offset. */
const struct dwarf_unit *dwarf_units_find(const struct dwarf_units *units, uint64_t offset);

/* One step of the rarer kinds. */
void step_take(const struct dwarf_unit *unit, const struct abbrev_step *step, struct cursor *cursor,
               struct die *die);

/* Reads the attributes after the abbreviation code. False: the entry is truncated. */
static inline bool die_read(const struct dwarf_unit *unit, struct cursor *cursor, struct die *die)
{
    const struct abbrev_step *step = unit->abbrevs->steps.at;
    die->has = 0;
    for (uint32_t i = die->abbrev->first_step, n = die->abbrev->n_steps; n > 0; n--, i++)
        if (step[i].kind == STEP_SKIP) {
            cursor_skip(cursor, step[i].bytes);
        } else if (step[i].kind == STEP_NUMBER) {
            die->has |= 1u << step[i].attribute;
            die->form[step[i].attribute] = step[i].form;
            die->value[step[i].attribute] = cursor_uint(cursor, step[i].bytes);
        } else {
            step_take(unit, &step[i], cursor, die);
        }
    return !cursor->bad;
}
/* The entry at an offset of .debug_info. False: not in the unit, or broken. */
bool die_read_at(const struct dwarf_unit *unit, uint64_t offset, struct die *ret_die);

/* ---- what values mean */

/* The value of a string attribute; NULL: missing or broken. alt: sections of the supplementary
 * file, or NULL. */
const char *die_string(const struct dwarf_unit *unit, const struct die *die,
                       enum die_attribute attribute, const struct dwarf_sections *alt);
/* The value of an address attribute; false: an invalid index. */
bool die_address(const struct dwarf_unit *unit, const struct die *die, enum die_attribute attribute,
                 uint64_t *ret_address);
bool dwarf_indexed_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret_address);

/* Offsets in the supplementary file are marked by this bit. */
#define DIE_IN_ALT (1ull << 63)
/* The target of a reference: an offset in .debug_info, or OFFSET_NONE. */
uint64_t die_reference(const struct dwarf_unit *unit, const struct die *die,
                       enum die_attribute attribute);
