/* What an ELF file says about its constant data: where objects end, and what their pointers are
 * once the file is loaded.
 *
 * A table of code addresses does not store its length. The symbol of the object proves it. So do
 * relocations that the linker kept (ld -q): those in the table, and the next address that code
 * takes. The file is read once; several threads may query it. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

struct data_object {
    struct svma start;
    uint64_t bytes;
};
struct data_pointer {
    struct svma at;
    uint64_t value;
};

struct evidence {
    struct data_objects {
        VEC(struct data_object); /* by start; of .symtab */
    } objects;
    bool has_names; /* there is a .symtab: an object without a symbol is a compiler's own */
    struct data_pointers {
        VEC(struct data_pointer); /* by address: R_X86_64_RELATIVE */
    } pointers;
    struct data_places {
        VEC(uint64_t); /* sorted: data that the linker filled in (kept relocations) */
    } filled;
    struct data_references {
        VEC(uint64_t); /* sorted: addresses of data that code takes by lea (kept relocations) */
    } references;
    struct data_object relro; /* read-only once loaded */
    struct data_writable {
        VEC(struct data_object); /* writable load segments */
    } writable;
};

void evidence_read(struct evidence *evidence, const struct image *image);
void evidence_copy(struct evidence *to, const struct evidence *from);
void evidence_release(struct evidence *evidence);

/* Bytes from this address to the end of its object; 0: not known. */
uint64_t evidence_extent(const struct evidence *evidence, struct svma at);
/* Whether an object starts here, as far as the file says. */
bool evidence_begins(const struct evidence *evidence, struct svma at);
/* Whether no object has the address, in a file that has symbols for objects. */
bool evidence_nameless(const struct evidence *evidence, struct svma at);
/* Whether the linker or the loader stores a pointer here. */
bool evidence_pointer(const struct evidence *evidence, struct svma at);
/* Whether the data here is read-only once loaded. */
bool evidence_constant(const struct evidence *evidence, struct svma at);
/* The number at an address once loaded: 4 bytes (signed) or 8. */
bool evidence_number(const struct evidence *evidence, const struct image *image, struct svma at,
                     unsigned bytes, uint64_t *ret_number);
