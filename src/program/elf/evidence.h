/* What an ELF file itself says about its constant data: how far objects reach, and what pointers in
 * them will be once the file is loaded.
 *
 * A table of code addresses has no length of its own. It is proved by the symbol of the object, or,
 * where relocations were kept (ld -q), by what the linker filled in and by the next address that
 * code takes. Reading is done once; the questions may be asked by several threads. */
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
void evidence_release(struct evidence *evidence);

/* Bytes from this address to the end of the object that holds it; 0: nothing says how many. */
uint64_t evidence_extent(const struct evidence *evidence, struct svma at);
/* Whether an object begins there and nothing before belongs to it, as far as the file says. */
bool evidence_begins(const struct evidence *evidence, struct svma at);
/* Whether it belongs to no object, in a file that names its objects. */
bool evidence_nameless(const struct evidence *evidence, struct svma at);
/* Whether linker or loader put a pointer there. */
bool evidence_pointer(const struct evidence *evidence, struct svma at);
/* Whether the program cannot change what is there, once it is loaded. */
bool evidence_constant(const struct evidence *evidence, struct svma at);
/* The number of so many bytes (4: signed) at an address, as it is once loaded. */
bool evidence_number(const struct evidence *evidence, const struct image *image, struct svma at,
                     unsigned bytes, uint64_t *ret_number);
