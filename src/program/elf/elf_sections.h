/* Walking an ELF file's sections with libelf. Every answer may be missing: headers are input. */
#pragma once

#include <gelf.h>
#include <string.h>

static inline const char *section_name(Elf *elf, const GElf_Shdr *header)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return "";
    const char *name = elf_strptr(elf, names, header->sh_name);
    return name ? name : "";
}

static inline Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *ret_header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, ret_header) && ret_header->sh_type != SHT_NOBITS &&
            strcmp(section_name(elf, ret_header), name) == 0)
            return section;
    return NULL;
}
