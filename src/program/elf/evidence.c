#include "program/elf/evidence.h"

#include "base/sort.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"

#include <stdlib.h>

/* ---- symbols */

static int object_order(const void *a, const void *b)
{
    const struct data_object *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static void objects_read(struct evidence *evidence, Elf *elf)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
        evidence->has_names = n > 1;
        GElf_Sym symbol;
        for (size_t i = 0; i < n && gelf_getsym(data, (int)i, &symbol); i++)
            if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size &&
                symbol.st_shndx != SHN_UNDEF)
                *vec_push(&evidence->objects) =
                    (struct data_object){{symbol.st_value}, symbol.st_size};
    }
    sort_by_first(evidence->objects.at, evidence->objects.n, sizeof *evidence->objects.at,
                  object_order);
}

/* ---- relocations */

static int pointer_order(const void *a, const void *b)
{
    const struct data_pointer *x = a, *y = b;
    return x->at.v < y->at.v ? -1 : x->at.v > y->at.v;
}

/* The symbols that relocations of a section name. */
static Elf_Data *symbols_of(Elf *elf, const GElf_Shdr *relocations)
{
    Elf_Scn *section = elf_getscn(elf, relocations->sh_link);
    return section ? elf_getdata(section, NULL) : NULL;
}

/* lea of a PC-relative address: how position-independent code gets at its tables. No immediate
 * follows it, so the operand is counted from its own end. */
static bool is_lea(const struct image *image, uint64_t operand)
{
    size_t room;
    const uint8_t *bytes = image_bytes(image, (struct svma){operand - 2}, &room);
    return bytes && room >= 6 && bytes[0] == 0x8d && (bytes[1] & 0xc7) == 0x05;
}

static bool section_flags(Elf *elf, size_t index, uint64_t *ret_flags)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, index);
    if (!section || !gelf_getshdr(section, &header))
        return false;
    *ret_flags = header.sh_flags;
    return true;
}

static void kept_read(struct evidence *evidence, const struct image *image, Elf_Scn *section,
                      const GElf_Shdr *header)
{
    Elf *elf = image->file.elf;
    uint64_t flags;
    if (!section_flags(elf, header->sh_info, &flags) || !(flags & SHF_ALLOC))
        return;
    Elf_Data *data = elf_getdata(section, NULL), *symbols = symbols_of(elf, header);
    size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
    GElf_Rela rela;
    GElf_Sym symbol;
    for (size_t i = 0; i < n && gelf_getrela(data, (int)i, &rela); i++) {
        if (!(flags & SHF_EXECINSTR))
            *vec_push(&evidence->filled) = rela.r_offset;
        else if (GELF_R_TYPE(rela.r_info) == R_X86_64_PC32 && is_lea(image, rela.r_offset) &&
                 symbols && gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
            *vec_push(&evidence->references) = symbol.st_value + (uint64_t)rela.r_addend + 4;
    }
}

static void dynamic_read(struct evidence *evidence, Elf_Scn *section)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
    GElf_Rela rela;
    for (size_t i = 0; i < n && gelf_getrela(data, (int)i, &rela); i++)
        if (GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE)
            *vec_push(&evidence->pointers) =
                (struct data_pointer){{rela.r_offset}, (uint64_t)rela.r_addend};
}

static void segments_read(struct evidence *evidence, Elf *elf)
{
    size_t n;
    GElf_Phdr header;
    if (elf_getphdrnum(elf, &n) != 0)
        return;
    for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &header); i++) {
        struct data_object extent = {{header.p_vaddr}, header.p_memsz};
        if (header.p_type == PT_GNU_RELRO)
            evidence->relro = extent;
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W))
            *vec_push(&evidence->writable) = extent;
    }
}

void evidence_read(struct evidence *evidence, const struct image *image)
{
    *evidence = (struct evidence){0};
    Elf *elf = image->file.elf;
    GElf_Shdr header;
    objects_read(evidence, elf);
    if (!evidence->objects.n && image->debug.elf)
        objects_read(evidence, image->debug.elf);
    segments_read(evidence, elf);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA)
            continue;
        if (header.sh_flags & SHF_ALLOC)
            dynamic_read(evidence, section);
        else
            kept_read(evidence, image, section, &header);
    }
    sort_by_first(evidence->pointers.at, evidence->pointers.n, sizeof *evidence->pointers.at, NULL);
    sort_by_first(evidence->filled.at, evidence->filled.n, sizeof(uint64_t), NULL);
    sort_by_first(evidence->references.at, evidence->references.n, sizeof(uint64_t), NULL);
}

#define COPY(to, from)                                                                             \
    (vec_reserve(to, (from)->n), (to)->n = (from)->n,                                              \
     (from)->n ? memcpy((to)->at, (from)->at, (from)->n * sizeof *(from)->at) : NULL)

void evidence_copy(struct evidence *to, const struct evidence *from)
{
    *to = (struct evidence){.has_names = from->has_names, .relro = from->relro};
    COPY(&to->objects, &from->objects);
    COPY(&to->pointers, &from->pointers);
    COPY(&to->filled, &from->filled);
    COPY(&to->references, &from->references);
    COPY(&to->writable, &from->writable);
}

void evidence_release(struct evidence *evidence)
{
    vec_release(&evidence->objects);
    vec_release(&evidence->pointers);
    vec_release(&evidence->filled);
    vec_release(&evidence->references);
    vec_release(&evidence->writable);
}

/* ---- questions */

/* Index of the first number that is not below. */
static size_t lower_bound(const uint64_t *numbers, size_t n, uint64_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbers[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The object that holds the address, or NULL. */
static const struct data_object *object_around(const struct data_objects *objects, struct svma at)
{
    size_t low = 0, high = objects->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (objects->at[middle].start.v <= at.v)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || at.v - objects->at[low - 1].start.v >= objects->at[low - 1].bytes)
        return NULL;
    return &objects->at[low - 1];
}

bool evidence_begins(const struct evidence *evidence, struct svma at)
{
    const struct data_object *object = object_around(&evidence->objects, at);
    size_t reference = lower_bound(evidence->references.at, evidence->references.n, at.v);
    if (object)
        return object->start.v == at.v;
    return reference < evidence->references.n && evidence->references.at[reference] == at.v;
}

bool evidence_nameless(const struct evidence *evidence, struct svma at)
{
    return evidence->has_names && !object_around(&evidence->objects, at);
}

uint64_t evidence_extent(const struct evidence *evidence, struct svma at)
{
    const struct data_object *object = object_around(&evidence->objects, at);
    if (object)
        return object->start.v + object->bytes - at.v;
    size_t n_filled = evidence->filled.n;
    size_t next = lower_bound(evidence->references.at, evidence->references.n, at.v + 1);
    size_t first = lower_bound(evidence->filled.at, n_filled, at.v);
    if (!evidence->references.n || first == n_filled || evidence->filled.at[first] != at.v)
        return 0;
    /* Filled without a hole, and nobody takes the address of its inside. */
    uint64_t last = at.v;
    uint64_t end = next < evidence->references.n ? evidence->references.at[next] : UINT64_MAX;
    for (size_t i = first + 1; i < n_filled && evidence->filled.at[i] < end; i++) {
        if (evidence->filled.at[i] - last != 4)
            break;
        last = evidence->filled.at[i];
    }
    return last + 4 - at.v;
}

static bool inside(const struct data_object *object, struct svma at)
{
    return at.v - object->start.v < object->bytes;
}

static bool is_writable(const struct evidence *evidence, struct svma at)
{
    for (size_t i = 0; i < evidence->writable.n; i++)
        if (inside(&evidence->writable.at[i], at))
            return true;
    return false;
}

bool evidence_constant(const struct evidence *evidence, struct svma at)
{
    return !is_writable(evidence, at) || inside(&evidence->relro, at);
}

static const struct data_pointer *pointer_find(const struct data_pointers *pointers, struct svma at)
{
    struct data_pointer wanted = {.at = at};
    return pointers->n ? bsearch(&wanted, pointers->at, pointers->n, sizeof wanted, pointer_order)
                       : NULL;
}

bool evidence_pointer(const struct evidence *evidence, struct svma at)
{
    size_t i = lower_bound(evidence->filled.at, evidence->filled.n, at.v);
    return (i < evidence->filled.n && evidence->filled.at[i] == at.v) ||
           pointer_find(&evidence->pointers, at);
}

bool evidence_number(const struct evidence *evidence, const struct image *image, struct svma at,
                     unsigned bytes, uint64_t *ret_number)
{
    size_t room;
    const uint8_t *from = image_bytes(image, at, &room);
    if (!from || room < bytes)
        return false;
    const struct data_pointer *pointer = bytes == 8 ? pointer_find(&evidence->pointers, at) : NULL;
    if (pointer) {
        *ret_number = pointer->value;
        return true;
    }
    int32_t narrow;
    uint64_t number;
    memcpy(&narrow, from, sizeof narrow);
    number = (uint64_t)(int64_t)narrow;
    if (bytes == 8)
        memcpy(&number, from, sizeof number);
    /* Nothing in the file, and writable for the loader: only the loader knows. */
    if (!number && is_writable(evidence, at))
        return false;
    *ret_number = number;
    return true;
}
