#include "program/unwind/unwind_sections.h"

#include "program/elf/elf_sections.h"
#include "program/elf/image.h"
#include "program/unwind/unwind_entries.h"

#include <dwarf.h>

static bool section_read(struct unwind_entries *entries, Elf *elf, const char *name, bool debug)
{
    GElf_Shdr header;
    Elf_Scn *section = elf ? section_named(elf, name, &header) : NULL;
    if (section && (header.sh_flags & SHF_COMPRESSED))
        elf_compress(section, 0, 0);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    if (!data || !data->d_buf)
        return false;
    unwind_entries_read(entries, &(struct unwind_section){.bytes = data->d_buf,
                                                          .n = data->d_size,
                                                          .address = {header.sh_addr},
                                                          .debug = debug});
    return true;
}

/* Version, three encodings, the address of .eh_frame, and, as all linkers write it, a number of
 * rows and the rows. */
static bool header_read(const struct image *image, struct svma at, struct unwind_header *ret_header)
{
    enum { VERSION = 1, FIXED_BYTES = 4, ROW_BYTES = 8 };
    size_t room;
    const uint8_t *bytes = image_bytes(image, at, &room);
    if (!bytes || room < FIXED_BYTES || bytes[0] != VERSION)
        return false;
    struct cursor code = {.at = bytes + FIXED_BYTES, .end = bytes + room};
    struct unwind_header header = {.at = at};
    if (!unwind_pointer(&code, bytes[1], (struct svma){at.v + FIXED_BYTES}, &header.section.v))
        return false;
    uint64_t n;
    if (bytes[2] == DW_EH_PE_udata4 && bytes[3] == (DW_EH_PE_datarel | DW_EH_PE_sdata4) &&
        code_fixed(&code, 4, false, &n) && n <= cursor_room(&code) / ROW_BYTES) {
        header.rows = code.at;
        header.n_rows = n;
    }
    *ret_header = header;
    return true;
}

bool unwind_header_find(const struct image *image, struct unwind_header *ret_header)
{
    GElf_Phdr program;
    size_t n;
    if (!image->file.elf || elf_getphdrnum(image->file.elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n && i < INT32_MAX; i++)
        if (gelf_getphdr(image->file.elf, (int)i, &program) && program.p_type == PT_GNU_EH_FRAME &&
            header_read(image, (struct svma){program.p_vaddr}, ret_header))
            return true;
    return false;
}

/* Nobody says where it ends but its terminator. */
static void entries_read_by_header(struct unwind_entries *entries, const struct image *image)
{
    struct unwind_header header;
    size_t room;
    const uint8_t *bytes =
        unwind_header_find(image, &header) ? image_bytes(image, header.section, &room) : NULL;
    if (bytes)
        unwind_entries_read(
            entries, &(struct unwind_section){
                         .bytes = bytes, .n = room, .address = header.section, .endless = true});
}

void unwind_entries_read_eh(struct unwind_entries *entries, const struct image *image)
{
    if (!section_read(entries, image->file.elf, ".eh_frame", false))
        entries_read_by_header(entries, image);
}

void unwind_entries_read_debug(struct unwind_entries *entries, const struct image *image)
{
    section_read(entries, image->file.elf, ".debug_frame", true);
    section_read(entries, image->debug.elf, ".debug_frame", true);
}
