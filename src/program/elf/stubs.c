#include "program/elf/stubs.h"

#include "base/memory.h"
#include "program/elf/elf_sections.h"
#include "program/elf/image.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    uint64_t address;
    const char *name;
    uint64_t resolver;
};
struct slots {
    VEC(struct slot);
};

static int slot_order(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static const char *relocation_name(Elf *elf, const GElf_Shdr *table, uint64_t symbol)
{
    Elf_Scn *section = elf_getscn(elf, table->sh_link);
    GElf_Shdr header;
    GElf_Sym found;
    if (!section || !symbol || symbol > INT32_MAX || !gelf_getshdr(section, &header) ||
        header.sh_type != SHT_DYNSYM ||
        !gelf_getsym(elf_getdata(section, NULL), (int)symbol, &found))
        return NULL;
    return elf_strptr(elf, header.sh_link, found.st_name);
}

static void slots_add_table(struct slots *slots, Elf *elf, Elf_Scn *section,
                            const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        GElf_Rela rela;
        if (!gelf_getrela(data, (int)i, &rela))
            return;
        struct slot slot = {.address = rela.r_offset};
        switch (GELF_R_TYPE(rela.r_info)) {
        case R_X86_64_JUMP_SLOT:
        case R_X86_64_GLOB_DAT:
            slot.name = relocation_name(elf, header, GELF_R_SYM(rela.r_info));
            break;
        case R_X86_64_IRELATIVE: slot.resolver = (uint64_t)rela.r_addend; break;
        default: continue;
        }
        *vec_push(slots) = slot;
    }
}

static void slots_read(struct slots *slots, Elf *elf)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        /* Relocations that the linker was told to keep are not loaded: no slot is theirs. */
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
            (header.sh_flags & SHF_ALLOC))
            slots_add_table(slots, elf, section, &header);
    if (slots->n)
        qsort(slots->at, slots->n, sizeof *slots->at, slot_order);
}

/* The slot of `[endbr64] [bnd] jmp *disp32(%rip)`, the only form linkers write; 0 if it is not one.
 */
static uint64_t stub_slot(const uint8_t *bytes, size_t n, uint64_t address)
{
    static const uint8_t endbr[4] = {0xF3, 0x0F, 0x1E, 0xFA};
    size_t at = n >= 4 && memcmp(bytes, endbr, 4) == 0 ? 4 : 0;
    if (at < n && bytes[at] == 0xF2)
        at++;
    if (n < at + 6 || bytes[at] != 0xFF || bytes[at + 1] != 0x25)
        return 0;
    int32_t displacement;
    memcpy(&displacement, bytes + at + 2, 4);
    return address + at + 6 + (uint64_t)(int64_t)displacement;
}

static void stubs_add_section(struct stubs *stubs, const struct slots *slots,
                              const struct image *image, const GElf_Shdr *header)
{
    uint64_t step = header->sh_entsize == 8 ? 8 : 16;
    for (uint64_t done = 0; done < header->sh_size; done += step) {
        uint64_t address = header->sh_addr + done;
        uint64_t bytes = header->sh_size - done < step ? header->sh_size - done : step;
        size_t room;
        const uint8_t *code = image_bytes(image, (struct svma){address}, &room);
        if (!code || room < bytes)
            return;
        struct stub *stub = vec_push(stubs);
        *stub = (struct stub){.start = {address}, .bytes = bytes};
        struct slot wanted = {.address = stub_slot(code, bytes, address)};
        const struct slot *slot =
            slots->n ? bsearch(&wanted, slots->at, slots->n, sizeof wanted, slot_order) : NULL;
        if (slot) {
            stub->name = slot->name;
            stub->resolver.v = slot->resolver;
        }
    }
}

static int stub_order(const void *a, const void *b)
{
    const struct stub *x = a, *y = b;
    return x->start.v < y->start.v ? -1 : x->start.v > y->start.v;
}

void stubs_read(struct stubs *stubs, const struct image *image)
{
    *stubs = (struct stubs){0};
    struct slots slots = {0};
    slots_read(&slots, image->file.elf);
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(image->file.elf, section));) {
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
            continue;
        const char *name = section_name(image->file.elf, &header);
        if (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0)
            stubs_add_section(stubs, &slots, image, &header);
    }
    vec_release(&slots);
    if (stubs->n)
        qsort(stubs->at, stubs->n, sizeof *stubs->at, stub_order);
}

void stubs_release(struct stubs *stubs)
{
    vec_release(stubs);
}
