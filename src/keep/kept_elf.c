#include "keep/kept_elf.h"

#include "base/err.h"
#include "program/elf/elf_file.h"

#include <elf.h>
#include <string.h>

static void section_put(struct bytes *file, Elf64_Shdr *header, struct bytes *names,
                        const char *name, const struct bytes *bytes)
{
    *header = (Elf64_Shdr){.sh_name = (uint32_t)names->n,
                           .sh_type = SHT_PROGBITS,
                           .sh_offset = file->n,
                           .sh_size = bytes->n,
                           .sh_addralign = 1};
    bytes_add(names, name, strlen(name) + 1);
    bytes_add(file, bytes->at, bytes->n);
}

void kept_elf_make(struct elf_file *ret_file, const struct kept_section *sections, size_t n)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)(n + 2),
        .e_shstrndx = (uint16_t)(n + 1)};
    Elf64_Shdr *headers = mem_alloc((n + 2) * sizeof *headers);
    struct bytes file = {0}, names = {0};
    struct err ignored;
    bytes_add(&file, &header, sizeof header);
    bytes_add(&names, "", 1);
    for (size_t i = 0; i < n; i++)
        section_put(&file, &headers[i + 1], &names, sections[i].name, &sections[i].bytes);
    struct bytes own = {0};
    bytes_add(&own, names.at, names.n);
    bytes_add(&own, ".shstrtab", sizeof ".shstrtab");
    section_put(&file, &headers[n + 1], &names, ".shstrtab", &own);
    headers[n + 1].sh_type = SHT_STRTAB;
    while (file.n % 8)
        bytes_add(&file, "", 1);
    header.e_shoff = file.n;
    bytes_add(&file, headers, (n + 2) * sizeof *headers);
    memcpy(file.at, &header, sizeof header);
    elf_file_copy(ret_file, file.at, file.n);
    if (!elf_file_begin(ret_file, &ignored))
        elf_file_close(ret_file);
    vec_release(&file);
    vec_release(&names);
    vec_release(&own);
    mem_free(headers);
}
