#include "program/dwarf/dwarf_unit.h"

#include <dwarf.h>

/* ---- entries */

/* Values that have no fixed size. */
static uint64_t value_read(struct cursor *cursor, const struct dwarf_unit *unit,
                           const struct abbrev_step *step)
{
    const char *text;
    switch (step->form) {
    case DW_FORM_flag_present: return 1;
    case DW_FORM_implicit_const: return (uint64_t)unit->abbrevs->constants.at[step->bytes];
    case DW_FORM_sdata: return (uint64_t)cursor_sleb(cursor);
    case DW_FORM_string:
        /* As an offset, so that all values are numbers. */
        text = cursor_string(cursor);
        return text ? (uint64_t)((const uint8_t *)text - unit->sections->at[DWARF_INFO].at) : 0;
    default: return cursor_uleb(cursor);
    }
}

/* A form that stands before each value. Nobody writes it where we read. */
static void indirect_skip(struct cursor *cursor, const struct dwarf_unit *unit)
{
    uint64_t form = cursor_uleb(cursor);
    uint32_t length_bytes;
    int bytes = form_bytes(form, unit->widths, &length_bytes);
    switch (bytes) {
    case FORM_LEB: cursor_skip_leb(cursor); break;
    case FORM_STRING: cursor_string(cursor); break;
    case FORM_BLOCK:
        cursor_skip(cursor, length_bytes ? cursor_uint(cursor, length_bytes) : cursor_uleb(cursor));
        break;
    case FORM_UNKNOWN:
    case FORM_INDIRECT: cursor->bad = true; break;
    default: cursor_skip(cursor, (uint64_t)bytes);
    }
}

void step_take(const struct dwarf_unit *unit, const struct abbrev_step *step, struct cursor *cursor,
               struct die *die)
{
    switch (step->kind) {
    case STEP_LEB: cursor_skip_leb(cursor); break;
    case STEP_STRING: cursor_string(cursor); break;
    case STEP_BLOCK:
        cursor_skip(cursor, step->bytes ? cursor_uint(cursor, step->bytes) : cursor_uleb(cursor));
        break;
    case STEP_INDIRECT: indirect_skip(cursor, unit); break;
    default:
        die->has |= 1u << step->attribute;
        die->form[step->attribute] = step->form;
        die->value[step->attribute] = value_read(cursor, unit, step);
    }
}

bool die_read_at(const struct dwarf_unit *unit, uint64_t offset, struct die *ret_die)
{
    if (!unit->abbrevs || offset < unit->first_die || offset >= unit->end)
        return false;
    const uint8_t *info = unit->sections->at[DWARF_INFO].at;
    struct cursor cursor = {info + offset, info + unit->end, false};
    ret_die->offset = offset;
    ret_die->abbrev = abbrevs_find(unit->abbrevs, cursor_uleb(&cursor));
    return ret_die->abbrev && die_read(unit, &cursor, ret_die);
}

/* ---- units */

/* What a unit's first entry says. */
static void unit_learn(struct dwarf_unit *unit)
{
    struct die die;
    if (!die_read_at(unit, unit->first_die, &die))
        return;
    if (die_has(&die, DIE_STR_OFFSETS_BASE))
        unit->str_offsets_base = die.value[DIE_STR_OFFSETS_BASE];
    if (die_has(&die, DIE_ADDR_BASE))
        unit->addr_base = die.value[DIE_ADDR_BASE];
    if (die_has(&die, DIE_RNGLISTS_BASE))
        unit->rnglists_base = die.value[DIE_RNGLISTS_BASE];
    if (die_has(&die, DIE_RANGES_BASE))
        unit->ranges_base = die.value[DIE_RANGES_BASE];
    if (die_has(&die, DIE_STMT_LIST))
        unit->stmt_list = die.value[DIE_STMT_LIST];
    if (die_has(&die, DIE_DWO_ID))
        unit->dwo_id = die.value[DIE_DWO_ID];
    unit->comp_dir = die_string(unit, &die, DIE_COMP_DIR, NULL);
    unit->dwo_name = die_string(unit, &die, DIE_DWO_NAME, NULL);
    if (die_has(&die, DIE_LOW))
        die_address(unit, &die, DIE_LOW, &unit->low_pc);
}

/* The header, behind its length. NULL, or what is wrong. */
static const char *header_read(struct dwarf_unit *unit, struct cursor *cursor, uint64_t *ret_abbrev)
{
    struct dwarf_widths *widths = &unit->widths;
    uint64_t version = cursor_uint(cursor, 2);
    if (version < 2 || version > 5)
        return "a unit has a version that is not known";
    widths->version = (uint8_t)version;
    unit->type = DW_UT_compile;
    if (version >= 5) {
        unit->type = cursor_u8(cursor);
        widths->address_bytes = cursor_u8(cursor);
        *ret_abbrev = cursor_offset(cursor, widths->offset_bytes);
    } else {
        *ret_abbrev = cursor_offset(cursor, widths->offset_bytes);
        widths->address_bytes = cursor_u8(cursor);
    }
    switch (unit->type) {
    case DW_UT_compile:
    case DW_UT_partial: break;
    case DW_UT_skeleton:
    case DW_UT_split_compile: unit->dwo_id = cursor_u64(cursor); break;
    case DW_UT_type:
    case DW_UT_split_type: cursor_skip(cursor, 8u + widths->offset_bytes); break;
    default: return "a unit has a type that is not known";
    }
    if (cursor->bad)
        return "a unit's header is cut off";
    return widths->address_bytes != 8 ? "a unit's addresses do not have 64 bits" : NULL;
}

/* Sets offset and end; false: the length makes no sense. */
static bool unit_begin(struct dwarf_unit *unit, const struct dwarf_sections *sections,
                       uint64_t offset, struct cursor *ret_cursor)
{
    struct cursor cursor = dwarf_cursor(sections, DWARF_INFO, offset);
    uint64_t bytes = cursor_u32(&cursor);
    *unit = (struct dwarf_unit){.sections = sections,
                                .addr_sections = sections,
                                .ranges_sections = sections,
                                .offset = offset,
                                .widths = {.offset_bytes = 4},
                                .stmt_list = OFFSET_NONE};
    if (bytes == UINT32_MAX) {
        bytes = cursor_u64(&cursor);
        unit->widths.offset_bytes = 8;
    }
    if (cursor.bad || bytes > cursor_room(&cursor))
        return false;
    cursor.end = cursor.at + bytes;
    unit->end = (uint64_t)(cursor.end - sections->at[DWARF_INFO].at);
    *ret_cursor = cursor;
    return true;
}

static void unit_finish(struct dwarf_unit *unit, struct dwarf_sections *sections,
                        struct abbrev_cache *cache, struct cursor *cursor,
                        const struct dwarf_part *part)
{
    uint64_t abbrev = 0;
    const char *why = header_read(unit, cursor, &abbrev);
    if (why) {
        damage_note(&sections->damage, ".debug_info", unit->offset, why);
        return;
    }
    unit->first_die = (uint64_t)(cursor->at - sections->at[DWARF_INFO].at);
    /* Split units say nothing: their bases are behind the header of their part. */
    bool split = unit->type == DW_UT_split_compile || unit->type == DW_UT_split_type;
    uint64_t wide = unit->widths.offset_bytes == 8;
    unit->str_offsets_base = part->str_offsets + (split ? 8 + 8 * wide : 0);
    unit->rnglists_base = part->rnglists + (split ? 12 + 8 * wide : 0);
    unit->abbrevs = abbrev_cache_get(cache, sections, part->abbrev + abbrev, unit->widths);
    if (unit->abbrevs)
        unit_learn(unit);
}

bool dwarf_unit_read(struct dwarf_unit *unit, struct dwarf_sections *sections,
                     struct abbrev_cache *cache, uint64_t offset, const struct dwarf_part *part)
{
    struct cursor cursor;
    if (!unit_begin(unit, sections, offset, &cursor))
        return false;
    unit_finish(unit, sections, cache, &cursor, part);
    return unit->abbrevs != NULL;
}

void dwarf_units_read(struct dwarf_units *units, struct dwarf_sections *sections,
                      struct abbrev_cache *cache)
{
    static const struct dwarf_part whole = {0};
    for (uint64_t at = 0; at < sections->at[DWARF_INFO].n;) {
        struct dwarf_unit unit;
        struct cursor cursor;
        if (!unit_begin(&unit, sections, at, &cursor)) {
            damage_note(&sections->damage, ".debug_info", at,
                        "a unit reaches beyond the end of the section");
            return;
        }
        unit_finish(&unit, sections, cache, &cursor, &whole);
        *vec_push(units) = unit;
        at = unit.end;
    }
}

const struct dwarf_unit *dwarf_units_find(const struct dwarf_units *units, uint64_t offset)
{
    size_t low = 0, high = units->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (units->at[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && offset < units->at[low - 1].end ? &units->at[low - 1] : NULL;
}

/* ---- what values mean */

static const char *indexed_string(const struct dwarf_unit *unit, uint64_t index)
{
    if (index > UINT32_MAX)
        return NULL;
    unsigned bytes = unit->widths.offset_bytes;
    struct cursor cursor =
        dwarf_cursor(unit->sections, DWARF_STR_OFFSETS, unit->str_offsets_base + index * bytes);
    uint64_t offset = cursor_offset(&cursor, bytes);
    return cursor.bad ? NULL : dwarf_string(unit->sections, DWARF_STR, offset);
}

const char *die_string(const struct dwarf_unit *unit, const struct die *die,
                       enum die_attribute attribute, const struct dwarf_sections *alt)
{
    if (!die_has(die, attribute))
        return NULL;
    uint64_t value = die->value[attribute];
    switch (die->form[attribute]) {
    case DW_FORM_string: return dwarf_string(unit->sections, DWARF_INFO, value);
    case DW_FORM_strp: return dwarf_string(unit->sections, DWARF_STR, value);
    case DW_FORM_line_strp: return dwarf_string(unit->sections, DWARF_LINE_STR, value);
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_strp_sup: return alt ? dwarf_string(alt, DWARF_STR, value) : NULL;
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index: return indexed_string(unit, value);
    default: return NULL;
    }
}

bool dwarf_indexed_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret_address)
{
    if (index > UINT32_MAX)
        return false;
    struct cursor cursor =
        dwarf_cursor(unit->addr_sections, DWARF_ADDR, unit->addr_base + index * 8);
    uint64_t address = cursor_u64(&cursor);
    if (cursor.bad)
        return false;
    *ret_address = address;
    return true;
}

bool die_address(const struct dwarf_unit *unit, const struct die *die, enum die_attribute attribute,
                 uint64_t *ret_address)
{
    switch (die->form[attribute]) {
    case DW_FORM_addr: *ret_address = die->value[attribute]; return true;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return dwarf_indexed_address(unit, die->value[attribute], ret_address);
    default: return false;
    }
}

uint64_t die_reference(const struct dwarf_unit *unit, const struct die *die,
                       enum die_attribute attribute)
{
    if (!die_has(die, attribute))
        return OFFSET_NONE;
    uint64_t value = die->value[attribute];
    switch (die->form[attribute]) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        return value < unit->end - unit->offset ? unit->offset + value : OFFSET_NONE;
    case DW_FORM_ref_addr: return value & DIE_IN_ALT ? OFFSET_NONE : value;
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8: return value | DIE_IN_ALT;
    default: return OFFSET_NONE;
    }
}
