#include "program/elf/dynamic.h"

#include "program/elf/image.h"

#include <elf.h>
#include <string.h>

/* image_open has checked that the table of program headers lies in the file. */
static bool header_find(const struct image *image, uint32_t type, Elf64_Phdr *ret_program)
{
    Elf64_Ehdr header;
    memcpy(&header, image->file.bytes, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        memcpy(ret_program, image->file.bytes + header.e_phoff + i * sizeof *ret_program,
               sizeof *ret_program);
        if (ret_program->p_type == type)
            return true;
    }
    return false;
}

bool dynamic_loaded(const struct image *image)
{
    Elf64_Phdr program;
    return header_find(image, PT_INTERP, &program);
}

/* Entry i of the dynamic section; false behind the last. */
static bool entry_at(const struct image *image, const Elf64_Phdr *program, uint64_t i,
                     Elf64_Dyn *ret_entry)
{
    if (i >= program->p_filesz / sizeof *ret_entry)
        return false;
    memcpy(ret_entry, image->file.bytes + program->p_offset + i * sizeof *ret_entry,
           sizeof *ret_entry);
    return ret_entry->d_tag != DT_NULL;
}

static bool section_find(const struct image *image, Elf64_Phdr *ret_program)
{
    return header_find(image, PT_DYNAMIC, ret_program) &&
           elf_file_inside(&image->file, ret_program->p_offset, ret_program->p_filesz);
}

bool dynamic_value(const struct image *image, int64_t tag, uint64_t *ret_value)
{
    Elf64_Phdr program;
    Elf64_Dyn entry;
    if (!section_find(image, &program))
        return false;
    for (uint64_t i = 0; entry_at(image, &program, i, &entry); i++)
        if (entry.d_tag == tag) {
            *ret_value = entry.d_un.d_val;
            return true;
        }
    return false;
}
