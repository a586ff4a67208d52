#include "program/elf/symtab.h"

#include "base/sort.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/elf/known.h"

#include <stdlib.h>
#include <string.h>

static uint8_t rank_of(const GElf_Sym *symbol)
{
    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_LOCAL: return RANK_LOCAL;
    case STB_WEAK: return RANK_WEAK;
    default: return RANK_GLOBAL;
    }
}

static bool is_code(const struct image *image, const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
           image_executable(image, (struct svma){symbol->st_value});
}

static bool is_data(const struct image *image, const GElf_Sym *symbol)
{
    (void)image;
    return GELF_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_size;
}

/* Which symbols: of a kind, and of those the ones that start in a stretch. */
struct wanted {
    bool (*kind)(const struct image *image, const GElf_Sym *symbol);
    struct svma low, high;
};

static void table_read(struct symtab *symtab, const struct image *image,
                       const struct wanted *wanted, Elf *elf, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    /* libelf's own way to one takes several times as long as looking whether it is wanted. */
    bool readable = data && data->d_buf && gelf_getclass(elf) == ELFCLASS64;
    size_t n = readable ? data->d_size / sizeof symbol : 0;
    uint32_t file = 0;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        memcpy(&symbol, (const uint8_t *)data->d_buf + i * sizeof symbol, sizeof symbol);
        /* Behind a file without a name stand what were hidden symbols of all files. */
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
            const char *path = elf_strptr(elf, header->sh_link, symbol.st_name);
            file = path && *path ? (uint32_t)i + 1 : 0;
        }
        if (symbol.st_value - wanted->low.v >= wanted->high.v - wanted->low.v ||
            !wanted->kind(image, &symbol))
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        uint8_t rank = rank_of(&symbol);
        if (name && *name)
            *vec_push(symtab) = (struct symbol){.start = {symbol.st_value},
                                                .bytes = symbol.st_size,
                                                .name = name,
                                                .file = rank == RANK_LOCAL ? file : 0,
                                                .rank = rank};
    }
}

static bool tables_read(struct symtab *symtab, const struct image *image,
                        const struct wanted *wanted, Elf *elf, uint32_t type)
{
    bool any = false;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == type) {
            table_read(symtab, image, wanted, elf, section, &header);
            any = true;
        }
    return any;
}

static int symbol_order(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    size_t x_length = strlen(x->name), y_length = strlen(y->name);
    if (x_length != y_length)
        return x_length < y_length ? -1 : 1;
    int by_name = strcmp(x->name, y->name);
    if (by_name)
        return by_name;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static void symtab_make(struct symtab *symtab, const struct image *image,
                        const struct wanted *wanted)
{
    *symtab = (struct symtab){0};
    if (!tables_read(symtab, image, wanted, image->file.elf, SHT_SYMTAB) && image->debug.elf)
        tables_read(symtab, image, wanted, image->debug.elf, SHT_SYMTAB);
    tables_read(symtab, image, wanted, image->file.elf, SHT_DYNSYM);
    sort_by_first(symtab->at, symtab->n, sizeof *symtab->at, symbol_order);
}

void symtab_read(struct symtab *symtab, const struct image *image)
{
    symtab_read_between(symtab, image, (struct svma){0}, (struct svma){UINT64_MAX});
}

void symtab_read_between(struct symtab *symtab, const struct image *image, struct svma low,
                         struct svma high)
{
    symtab_make(symtab, image, &(struct wanted){is_code, low, high});
}

void symtab_read_data(struct symtab *symtab, const struct image *image)
{
    symtab_make(symtab, image, &(struct wanted){is_data, {0}, {UINT64_MAX}});
}

const struct symbol *symtab_find(const struct symtab *symtab, struct svma at)
{
    size_t low = 0, high = symtab->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symtab->at[middle].start.v <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    /* The preferred of those that start there. */
    uint64_t start = symtab->at[low - 1].start.v;
    while (low > 1 && symtab->at[low - 2].start.v == start)
        low--;
    const struct symbol *symbol = &symtab->at[low - 1];
    return at.v - start < symbol->bytes ? symbol : NULL;
}

void symtab_release(struct symtab *symtab)
{
    vec_release(symtab);
}

/* Whether the names of a table have these letters at all, which takes a hundredth of looking at
 * each symbol. */
static bool names_hold(Elf *elf, const GElf_Shdr *table, const char *name)
{
    Elf_Scn *section = elf_getscn(elf, table->sh_link);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    return data && data->d_buf && memmem(data->d_buf, data->d_size, name, strlen(name));
}

bool image_has_symbol(const struct image *image, const char *name)
{
    if (image->known)
        return image->known->fs_discriminators && strcmp(name, FS_DISCRIMINATORS) == 0;
    GElf_Shdr header;
    GElf_Sym symbol;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->file.elf, section));) {
        Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB
                             ? elf_getdata(section, NULL)
                             : NULL;
        size_t n = data && names_hold(image->file.elf, &header, name)
                       ? data->d_size / sizeof(Elf64_Sym)
                       : 0;
        for (size_t i = 0; i < n && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
            const char *found = elf_strptr(image->file.elf, header.sh_link, symbol.st_name);
            if (found && strcmp(found, name) == 0)
                return true;
        }
    }
    return false;
}
