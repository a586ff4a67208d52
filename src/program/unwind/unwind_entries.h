/* The entries of an .eh_frame or .debug_frame section: the code range and the program of each. */
#pragma once

#include "base/vec.h"
#include "program/unwind/unwind_code.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Untrusted bytes, not checked yet. */
struct unwind_section {
    const uint8_t *bytes;
    size_t n;
    struct svma address; /* of the first byte */
    bool debug;          /* .debug_frame, else .eh_frame */
    bool endless;        /* the bytes continue after the section: its first terminator ends it */
};

struct unwind_cie {
    bool usable;
    bool signal;
    uint8_t encoding;       /* of addresses: DW_EH_PE_* */
    uint8_t table_encoding; /* of addresses of exception tables, or DW_EH_PE_omit */
    uint64_t code_factor;
    int64_t data_factor;
    struct cursor program;
};

struct unwind_entry {
    struct svma start;
    uint64_t bytes;
    uint32_t cie, order; /* order: as found; earlier sections and entries win */
    struct cursor program;
    struct svma table; /* exception table; 0: none */
};

struct unwind_entries {
    VEC(struct unwind_entry);
    struct unwind_cies {
        VEC(struct unwind_cie);
    } cies;
    uint64_t unreadable;
};

/* Appends. Skips empty entries, and counts unreadable ones. Valid as long as the bytes. */
void unwind_entries_read(struct unwind_entries *entries, const struct unwind_section *section);
/* The same for the one entry at an offset; false: none. */
bool unwind_entries_read_one(struct unwind_entries *entries, const struct unwind_section *section,
                             uint64_t offset);
void unwind_entries_release(struct unwind_entries *entries);

/* By start, then order; of several entries for the same code the first found wins. */
void unwind_entries_sort(struct unwind_entries *entries);

/* Reads an encoded address (DW_EH_PE_*); false: truncated, or of a kind that no linker writes.
 * `field` is the address of the encoded bytes. Advances the cursor. */
bool unwind_pointer(struct cursor *code, uint8_t encoding, struct svma field, uint64_t *ret_value);
