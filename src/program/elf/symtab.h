/* The function or data symbols of an ELF file, unmerged and complete. */
#pragma once

#include "base/vec.h"
#include "wire/address.h"

#include <stdbool.h>
#include <stdint.h>

struct image;

/* The smaller rank wins if several symbols share an address. */
enum symbol_rank { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL };

struct symbol {
    struct svma start;
    uint64_t bytes;   /* 0: not stated */
    const char *name; /* lives as long as the image */
    uint32_t file;    /* locals of one source file share it; 0 for all others */
    uint8_t rank;     /* enum symbol_rank */
};
struct symtab {
    VEC(struct symbol); /* by start, then by preference: rank, length of name, name */
};

/* FUNC and IFUNC symbols in executable segments, from .dynsym and .symtab. A stripped image uses
 * the .symtab of its debug file. */
void symtab_read(struct symtab *symtab, const struct image *image);
/* Only the symbols with low <= start < high. */
void symtab_read_between(struct symtab *symtab, const struct image *image, struct svma low,
                         struct svma high);
/* The same for OBJECT symbols: variables and constants. */
void symtab_read_data(struct symtab *symtab, const struct image *image);
void symtab_release(struct symtab *symtab);

/* The last symbol that starts at or before the address, if it covers the address; else NULL. */
const struct symbol *symtab_find(const struct symtab *symtab, struct svma at);

/* The symbol by which clang says that discriminators are those of its passes (FS-AFDO). */
#define FS_DISCRIMINATORS "__llvm_fs_discriminator__"

/* Whether .symtab has a symbol of that name, of any kind. */
bool image_has_symbol(const struct image *image, const char *name);
