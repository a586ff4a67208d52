#include "program/unwind_sections.h"

#include "program/elf_sections.h"
#include "program/image.h"
#include "program/unwind_entries.h"

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

/* .eh_frame_hdr: version, three encodings, and the address of .eh_frame. What follows, a table for binary
 * search, has nothing that the entries do not have. */
static bool header_eh_frame(const struct image *image, struct svma header, struct svma *ret_section)
{
    enum { VERSION = 1, FIXED_BYTES = 4 };
    size_t room;
    const uint8_t *bytes = image_bytes(image, header, &room);
    if (!bytes || room < FIXED_BYTES || bytes[0] != VERSION)
        return false;
    struct unwind_code code = {bytes + FIXED_BYTES, bytes + room};
    return unwind_pointer(&code, bytes[1], (struct svma){header.v + FIXED_BYTES}, &ret_section->v);
}

/* Nobody says where it ends but its terminator. */
static void header_read(struct unwind_entries *entries, const struct image *image)
{
    GElf_Phdr program;
    struct svma section = {0};
    size_t n, room;
    if (elf_getphdrnum(image->file.elf, &n) != 0)
        return;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        if (!gelf_getphdr(image->file.elf, (int)i, &program) || program.p_type != PT_GNU_EH_FRAME ||
            !header_eh_frame(image, (struct svma){program.p_vaddr}, &section))
            continue;
        const uint8_t *bytes = image_bytes(image, section, &room);
        if (bytes)
            unwind_entries_read(
                entries, &(struct unwind_section){
                             .bytes = bytes, .n = room, .address = section, .endless = true});
        return;
    }
}

void unwind_entries_read_eh(struct unwind_entries *entries, const struct image *image)
{
    if (!section_read(entries, image->file.elf, ".eh_frame", false))
        header_read(entries, image);
}

void unwind_entries_read_debug(struct unwind_entries *entries, const struct image *image)
{
    section_read(entries, image->file.elf, ".debug_frame", true);
    section_read(entries, image->debug.elf, ".debug_frame", true);
}
