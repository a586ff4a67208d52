/* The entries of an .eh_frame or .debug_frame section: which code each is about, and its program.
 */
#pragma once

#include "base/vec.h"
#include "program/unwind/unwind_code.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Untrusted bytes, none of them looked at yet. */
struct unwind_section {
    const uint8_t *bytes;
    size_t n;
    struct svma address; /* of the first byte */
    bool debug;          /* .debug_frame, else .eh_frame */
    bool endless;        /* the bytes go on behind the section: its first terminator ends it */
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
    uint32_t cie, order; /* order: as found; earlier sections and entries are believed first */
    struct cursor program;
    struct svma table; /* of its exceptions; 0: none */
};

struct unwind_entries {
    VEC(struct unwind_entry);
    struct unwind_cies {
        VEC(struct unwind_cie);
    } cies;
    uint64_t unreadable;
};

/* Appends. What is empty or unreadable is left out, the latter counted. Lives as long as the bytes.
 */
void unwind_entries_read(struct unwind_entries *entries, const struct unwind_section *section);
/* The same of the one entry at an offset; false: there is none. */
bool unwind_entries_read_one(struct unwind_entries *entries, const struct unwind_section *section,
                             uint64_t offset);
void unwind_entries_release(struct unwind_entries *entries);

/* By start, then order; of several about the same code the first found keeps it. */
void unwind_entries_sort(struct unwind_entries *entries);

/* An address in DWARF's exception header encoding; false if it is cut off or of a kind that no
 * linker writes. `field` is its own address. Moves code->at behind it. */
bool unwind_pointer(struct cursor *code, uint8_t encoding, struct svma field, uint64_t *ret_value);
