#include "program/dwarf/dwarf_abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

/* Of LLVM and newer GCC; elfutils does not name it. */
#define DW_AT_GNU_discriminator 0x2136

/* ---- forms */

int form_bytes(uint64_t form, struct dwarf_widths widths, uint32_t *ret_length_bytes)
{
    *ret_length_bytes = 0;
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const: return 0;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1: return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2: return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3: return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4: return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8: return 8;
    case DW_FORM_data16: return 16;
    case DW_FORM_addr: return widths.address_bytes;
    case DW_FORM_ref_addr: return widths.version < 3 ? widths.address_bytes : widths.offset_bytes;
    case DW_FORM_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt: return widths.offset_bytes;
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index: return FORM_LEB;
    case DW_FORM_string: return FORM_STRING;
    case DW_FORM_block1: *ret_length_bytes = 1; return FORM_BLOCK;
    case DW_FORM_block2: *ret_length_bytes = 2; return FORM_BLOCK;
    case DW_FORM_block4: *ret_length_bytes = 4; return FORM_BLOCK;
    case DW_FORM_block:
    case DW_FORM_exprloc: return FORM_BLOCK;
    case DW_FORM_indirect: return FORM_INDIRECT;
    default: return FORM_UNKNOWN;
    }
}

/* ---- attributes */

static enum abbrev_role role_of(uint64_t tag)
{
    switch (tag) {
    case DW_TAG_subprogram: return ROLE_FUNCTION;
    case DW_TAG_inlined_subroutine: return ROLE_INLINED;
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_type_unit:
    case DW_TAG_skeleton_unit: return ROLE_UNIT;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt: return ROLE_SCOPE;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type: return ROLE_TYPE;
    default: return ROLE_BORING;
    }
}

static enum die_attribute unit_attribute(uint64_t name)
{
    switch (name) {
    case DW_AT_name: return DIE_NAME;
    case DW_AT_low_pc: return DIE_LOW;
    case DW_AT_stmt_list: return DIE_STMT_LIST;
    case DW_AT_comp_dir: return DIE_COMP_DIR;
    case DW_AT_str_offsets_base: return DIE_STR_OFFSETS_BASE;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base: return DIE_ADDR_BASE;
    case DW_AT_rnglists_base: return DIE_RNGLISTS_BASE;
    case DW_AT_GNU_ranges_base: return DIE_RANGES_BASE;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name: return DIE_DWO_NAME;
    case DW_AT_GNU_dwo_id: return DIE_DWO_ID;
    default: return DIE_UNWANTED;
    }
}

static enum die_attribute function_attribute(uint64_t name)
{
    switch (name) {
    case DW_AT_name: return DIE_NAME;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name: return DIE_LINKAGE;
    case DW_AT_low_pc: return DIE_LOW;
    case DW_AT_high_pc: return DIE_HIGH;
    case DW_AT_ranges: return DIE_RANGES;
    case DW_AT_abstract_origin: return DIE_ORIGIN;
    case DW_AT_specification: return DIE_SPECIFICATION;
    case DW_AT_call_file: return DIE_CALL_FILE;
    case DW_AT_call_line: return DIE_CALL_LINE;
    case DW_AT_call_column: return DIE_CALL_COLUMN;
    case DW_AT_GNU_discriminator: return DIE_DISCRIMINATOR;
    case DW_AT_decl_line: return DIE_DECL_LINE;
    default: return DIE_UNWANTED;
    }
}

static enum die_attribute attribute_of(const struct abbrev *abbrev, uint64_t name)
{
    if (name == DW_AT_sibling)
        return abbrev->children ? DIE_SIBLING : DIE_UNWANTED;
    switch (abbrev->role) {
    case ROLE_UNIT: return unit_attribute(name);
    case ROLE_FUNCTION:
    case ROLE_INLINED: return function_attribute(name);
    default: return DIE_UNWANTED;
    }
}

/* ---- compiling */

struct compiler {
    struct abbrevs *abbrevs;
    struct abbrev *abbrev;
    uint32_t seen; /* attributes that have a read */
};

static struct abbrev_step *step_last(const struct compiler *compiler)
{
    const struct abbrev_steps *steps = &compiler->abbrevs->steps;
    return steps->n > compiler->abbrev->first_step ? &steps->at[steps->n - 1] : NULL;
}

static void step_add(struct compiler *compiler, struct abbrev_step step)
{
    struct abbrev_step *last = step_last(compiler);
    if (step.kind == STEP_SKIP && (!step.bytes || (last && last->kind == STEP_SKIP))) {
        if (last && step.bytes)
            last->bytes += step.bytes;
        return;
    }
    *vec_push(&compiler->abbrevs->steps) = step;
}

static bool attribute_add(struct compiler *compiler, uint64_t name, uint64_t form, int64_t constant)
{
    uint32_t length_bytes;
    int bytes = form_bytes(form, compiler->abbrevs->widths, &length_bytes);
    if (bytes == FORM_UNKNOWN)
        return false;
    enum die_attribute attribute = attribute_of(compiler->abbrev, name);
    if (attribute != DIE_UNWANTED && !(compiler->seen & 1u << attribute) &&
        form != DW_FORM_data16 && bytes != FORM_BLOCK && form != DW_FORM_ref_sig8 &&
        form != DW_FORM_indirect) {
        compiler->seen |= 1u << attribute;
        struct abbrev_step step = {STEP_READ, (uint8_t)attribute, (uint16_t)form, 0};
        if (bytes > 0) {
            step.kind = STEP_NUMBER;
            step.bytes = (uint32_t)bytes;
        }
        if (form == DW_FORM_implicit_const) {
            step.bytes = (uint32_t)compiler->abbrevs->constants.n;
            *vec_push(&compiler->abbrevs->constants) = constant;
        }
        step_add(compiler, step);
        return true;
    }
    switch (bytes) {
    case FORM_LEB: step_add(compiler, (struct abbrev_step){.kind = STEP_LEB}); break;
    case FORM_STRING: step_add(compiler, (struct abbrev_step){.kind = STEP_STRING}); break;
    case FORM_BLOCK:
        step_add(compiler, (struct abbrev_step){.kind = STEP_BLOCK, .bytes = length_bytes});
        break;
    case FORM_INDIRECT: step_add(compiler, (struct abbrev_step){.kind = STEP_INDIRECT}); break;
    default: step_add(compiler, (struct abbrev_step){.kind = STEP_SKIP, .bytes = (uint32_t)bytes});
    }
    return true;
}

/* NULL, or what is wrong. */
static const char *abbrev_read(struct abbrevs *abbrevs, struct abbrev *abbrev,
                               struct cursor *cursor)
{
    uint64_t tag = cursor_uleb(cursor);
    *abbrev = (struct abbrev){.role = (uint8_t)role_of(tag),
                              .known = true,
                              .children = cursor_u8(cursor) != 0,
                              .tag = (uint16_t)tag,
                              .first_step = (uint32_t)abbrevs->steps.n};
    struct compiler compiler = {.abbrevs = abbrevs, .abbrev = abbrev};
    while (!cursor->bad) {
        uint64_t name = cursor_uleb(cursor), form = cursor_uleb(cursor);
        int64_t constant = form == DW_FORM_implicit_const ? cursor_sleb(cursor) : 0;
        if (!name && !form)
            break;
        if (!attribute_add(&compiler, name, form, constant))
            return "an abbreviation has a form that is not known";
    }
    abbrev->n_steps = (uint32_t)abbrevs->steps.n - abbrev->first_step;
    const struct abbrev_step *only = abbrev->n_steps == 1 ? step_last(&compiler) : NULL;
    abbrev->plain = abbrev->role == ROLE_BORING && !abbrev->children &&
                    (!abbrev->n_steps || (only && only->kind == STEP_SKIP));
    abbrev->fixed_bytes = only ? only->bytes : 0;
    return cursor->bad ? "an abbreviation table does not end" : NULL;
}

static const char *abbrevs_read(struct abbrevs *abbrevs, struct cursor *cursor)
{
    const uint8_t *start = cursor->at;
    /* Code 0 ends a table; it must not be found. */
    *vec_push(&abbrevs->codes) = (struct abbrev){0};
    for (;;) {
        uint64_t code = cursor_uleb(cursor);
        if (cursor->bad)
            return "an abbreviation table does not end";
        if (!code)
            return NULL;
        /* All writers count from 1. The table of codes stays smaller than what it was read from. */
        if (code >= abbrevs->codes.n + (size_t)(cursor->at - start))
            return "an abbreviation code is far from the others";
        while (abbrevs->codes.n <= code)
            *vec_push(&abbrevs->codes) = (struct abbrev){0};
        struct abbrev abbrev;
        const char *why = abbrev_read(abbrevs, &abbrev, cursor);
        if (why)
            return why;
        if (!abbrevs->codes.at[code].known)
            abbrevs->codes.at[code] = abbrev;
    }
}

/* ---- all of a file */

void abbrev_cache_init(struct abbrev_cache *cache)
{
    *cache = (struct abbrev_cache){0};
    map_init(&cache->by_place, 2 * sizeof(uint64_t));
}

static void abbrevs_free(struct abbrevs *abbrevs)
{
    vec_release(&abbrevs->codes);
    vec_release(&abbrevs->steps);
    vec_release(&abbrevs->constants);
    mem_free(abbrevs);
}

void abbrev_cache_release(struct abbrev_cache *cache)
{
    for (size_t i = 0; i < cache->tables.n; i++)
        if (cache->tables.at[i])
            abbrevs_free(cache->tables.at[i]);
    vec_release(&cache->tables);
    map_release(&cache->by_place);
}

const struct abbrevs *abbrev_cache_get(struct abbrev_cache *cache, struct dwarf_sections *sections,
                                       uint64_t offset, struct dwarf_widths widths)
{
    uint64_t key[2] = {offset, (uint64_t)widths.offset_bytes << 16 |
                                   (uint64_t)widths.address_bytes << 8 | (widths.version < 3)};
    uint32_t i = map_add(&cache->by_place, key);
    if (i < cache->tables.n)
        return cache->tables.at[i];
    *vec_push(&cache->tables) = NULL;
    struct cursor cursor = dwarf_cursor(sections, DWARF_ABBREV, offset);
    const uint8_t *start = cursor.at;
    struct abbrevs *abbrevs = mem_alloc(sizeof *abbrevs);
    abbrevs->offset = offset;
    abbrevs->widths = widths;
    const char *why = cursor.bad ? "an abbreviation table lies outside of the section"
                      : cache->bytes_read > 2 * sections->at[DWARF_ABBREV].n
                          ? "abbreviation tables overlap"
                          : abbrevs_read(abbrevs, &cursor);
    cache->bytes_read += (uint64_t)(cursor.at - start);
    if (why) {
        damage_note(&sections->damage, ".debug_abbrev", offset, why);
        abbrevs_free(abbrevs);
        return NULL;
    }
    return cache->tables.at[i] = abbrevs;
}
