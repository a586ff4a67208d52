/* Abbreviation tables of .debug_abbrev, compiled for fast skipping.
 *
 * Of an entry (DIE) we need a few attributes and its length. So an abbreviation becomes a list of
 * steps: a run of fixed-size attributes is one step, and attributes without bytes are none. However
 * long the attribute list, an entry costs no more than its bytes plus the attributes we read. Of a
 * repeated attribute the first counts. */
#pragma once

#include "base/map.h"
#include "base/memory.h"
#include "base/vec.h"
#include "program/dwarf/dwarf_sections.h"

#include <stdbool.h>
#include <stdint.h>

/* Attributes that are read; all others are skipped. */
enum die_attribute {
    DIE_SIBLING,
    DIE_NAME,
    DIE_LINKAGE,
    DIE_LOW,
    DIE_HIGH,
    DIE_RANGES,
    DIE_ORIGIN,
    DIE_SPECIFICATION,
    DIE_CALL_FILE,
    DIE_CALL_LINE,
    DIE_CALL_COLUMN,
    DIE_DISCRIMINATOR,
    DIE_DECL_LINE,
    /* of units */
    DIE_STMT_LIST,
    DIE_COMP_DIR,
    DIE_STR_OFFSETS_BASE,
    DIE_ADDR_BASE,
    DIE_RNGLISTS_BASE,
    DIE_RANGES_BASE,
    DIE_DWO_NAME,
    DIE_DWO_ID,
    DIE_ATTRIBUTES_N,
    DIE_UNWANTED = DIE_ATTRIBUTES_N,
};

enum abbrev_step_kind {
    STEP_SKIP,
    STEP_NUMBER, /* reads a value of a fixed size */
    STEP_READ,   /* reads any other value */
    STEP_LEB,
    STEP_STRING,
    STEP_BLOCK,
    STEP_INDIRECT,
};

struct abbrev_step {
    uint8_t kind;      /* enum abbrev_step_kind */
    uint8_t attribute; /* of a read */
    uint16_t form;     /* of a read */
    uint32_t bytes;    /* to skip; of a number; of a block: of its length, 0: LEB128 */
};

/* How an entry is treated. */
enum abbrev_role {
    ROLE_BORING,   /* no code in or below it */
    ROLE_SCOPE,    /* there may be code below it */
    ROLE_TYPE,     /* likewise, in the functions of a type */
    ROLE_FUNCTION, /* DW_TAG_subprogram */
    ROLE_INLINED,  /* DW_TAG_inlined_subroutine */
    ROLE_UNIT,
};

struct abbrev {
    uint8_t role; /* enum abbrev_role */
    bool known, children;
    bool plain; /* boring, no children, fixed size: fixed_bytes is all */
    uint16_t tag;
    uint32_t first_step, n_steps, fixed_bytes;
};

/* Sizes that depend on the unit. */
struct dwarf_widths {
    uint8_t version, offset_bytes, address_bytes;
};

enum { FORM_UNKNOWN = -1, FORM_LEB = -2, FORM_STRING = -3, FORM_BLOCK = -4, FORM_INDIRECT = -5 };
/* Size of a value of this form, or one of the above; of a block: the size of its length. */
int form_bytes(uint64_t form, struct dwarf_widths widths, uint32_t *ret_length_bytes);

struct abbrevs {
    uint64_t offset; /* in .debug_abbrev */
    struct dwarf_widths widths;
    struct abbrev_list {
        VEC(struct abbrev); /* by code */
    } codes;
    struct abbrev_steps {
        VEC(struct abbrev_step);
    } steps;
    struct constants {
        VEC(int64_t); /* of DW_FORM_implicit_const; the step's bytes are the index */
    } constants;
};

/* All tables of one file, each compiled once. */
struct abbrev_cache {
    struct map by_place;
    struct abbrev_tables {
        VEC(struct abbrevs *);
    } tables;
    uint64_t bytes_read; /* valid tables do not overlap: at most the size of the section */
};

void abbrev_cache_init(struct abbrev_cache *cache);
void abbrev_cache_release(struct abbrev_cache *cache);
/* NULL: broken; the reason is noted. Not thread-safe. */
const struct abbrevs *abbrev_cache_get(struct abbrev_cache *cache, struct dwarf_sections *sections,
                                       uint64_t offset, struct dwarf_widths widths);

static inline const struct abbrev *abbrevs_find(const struct abbrevs *abbrevs, uint64_t code)
{
    return code < abbrevs->codes.n && abbrevs->codes.at[code].known ? &abbrevs->codes.at[code]
                                                                    : NULL;
}
