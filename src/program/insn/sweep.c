#include "program/insn/sweep.h"

#include "base/memory.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/insn/disasm.h"

#include <stdlib.h>

enum { WORD = 64, LOCK = 0xF0 };

struct symbol_starts {
    VEC(uint64_t);
};

static int start_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int section_order(const void *a, const void *b)
{
    const struct sweep_section *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Of a section, in order. */
static void starts_read(struct symbol_starts *starts, Elf *elf, size_t section)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    starts->n = 0;
    for (Elf_Scn *table = NULL; (table = elf_nextscn(elf, table));) {
        Elf_Data *data = gelf_getshdr(table, &header) && header.sh_type == SHT_SYMTAB
                             ? elf_getdata(table, NULL)
                             : NULL;
        size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
        for (size_t i = 0; i < n && i < INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++)
            if (symbol.st_shndx == section)
                *vec_push(starts) = symbol.st_value;
    }
    if (starts->n)
        qsort(starts->at, starts->n, sizeof *starts->at, start_order);
}

static void bit_set(uint64_t *bits, uint64_t i)
{
    bits[i / WORD] |= UINT64_C(1) << i % WORD;
}

static bool bit_is_set(const uint64_t *bits, uint64_t i)
{
    return bits[i / WORD] >> i % WORD & 1;
}

static bool leaves(const struct instruction *instruction)
{
    switch (instruction->kind) {
    case INSTRUCTION_JUMP:
    case INSTRUCTION_CALL:
    case INSTRUCTION_ICALL:
    case INSTRUCTION_RETURN: return true;
    default: return false;
    }
}

uint32_t sweep_bytes(const struct image *image, struct svma at, struct instruction *ret)
{
    size_t room;
    const uint8_t *bytes = image_bytes(image, at, &room);
    if (!bytes || !room)
        return 0;
    if (*bytes != LOCK)
        return disasm_at(image, at, ret) ? ret->bytes : 0;
    *ret = (struct instruction){.at = at, .bytes = 1, .kind = INSTRUCTION_PLAIN};
    return 1;
}

/* What is no instruction is left out byte by byte. */
static void stretch_sweep(struct sweep_section *section, const struct image *image, uint64_t start,
                          uint64_t end)
{
    struct instruction instruction;
    for (uint64_t at = start; at < end;) {
        uint32_t bytes = sweep_bytes(image, (struct svma){at}, &instruction);
        if (bytes)
            bit_set(section->starts, at - section->start);
        if (bytes && leaves(&instruction))
            bit_set(section->leaves, at - section->start);
        at += bytes ? bytes : 1;
    }
}

static void section_sweep(struct sweep *sweep, const struct image *image,
                          const struct symbol_starts *starts, const GElf_Shdr *header)
{
    size_t words = header->sh_size / WORD + 1;
    struct sweep_section section = {.start = header->sh_addr,
                                    .bytes = header->sh_size,
                                    .starts = mem_alloc(words * sizeof *section.starts),
                                    .leaves = mem_alloc(words * sizeof *section.leaves)};
    for (size_t i = 0; i < starts->n; i++) {
        uint64_t end = header->sh_addr + header->sh_size;
        if (i + 1 < starts->n && starts->at[i + 1] < end)
            end = starts->at[i + 1];
        if (starts->at[i] >= section.start)
            stretch_sweep(&section, image, starts->at[i], end);
    }
    *vec_push(sweep) = section;
}

void sweep_make(struct sweep *sweep, const struct image *image)
{
    Elf *elf = image->file.elf;
    struct symbol_starts starts = {0};
    GElf_Shdr header;
    *sweep = (struct sweep){0};
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
            header.sh_type != SHT_PROGBITS || strcmp(section_name(elf, &header), ".plt") == 0 ||
            !elf_file_inside(&image->file, header.sh_offset, header.sh_size))
            continue;
        starts_read(&starts, elf, elf_ndxscn(section));
        if (starts.n && header.sh_size)
            section_sweep(sweep, image, &starts, &header);
    }
    vec_release(&starts);
    if (sweep->n)
        qsort(sweep->at, sweep->n, sizeof *sweep->at, section_order);
}

void sweep_release(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->n; i++) {
        mem_free(sweep->at[i].starts);
        mem_free(sweep->at[i].leaves);
    }
    vec_release(sweep);
}

static const struct sweep_section *section_of(const struct sweep *sweep, struct svma at)
{
    for (size_t i = 0; i < sweep->n; i++)
        if (at.v - sweep->at[i].start < sweep->at[i].bytes)
            return &sweep->at[i];
    return NULL;
}

bool sweep_starts(const struct sweep *sweep, struct svma at)
{
    const struct sweep_section *section = section_of(sweep, at);
    return section && bit_is_set(section->starts, at.v - section->start);
}

bool sweep_stays(const struct sweep *sweep, struct svma first, struct svma last)
{
    const struct sweep_section *section = section_of(sweep, first);
    if (!section || last.v < first.v || last.v - section->start >= section->bytes)
        return false;
    uint64_t low = first.v - section->start, high = last.v - section->start;
    for (uint64_t i = low; i < high; i++)
        if (bit_is_set(section->leaves, i))
            return false;
    return true;
}
