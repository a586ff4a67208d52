#include "program/frames.h"

#include "program/elf_sections.h"
#include "program/image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* A CIE says how its FDEs write addresses. Entries of one CIE come together, so remembering the
 * last one is enough to be fast. */
struct reader {
    const struct image *image;
    const unsigned char *ident;
    Elf_Data *data;
    uint64_t address; /* svma of the section's first byte */
    Dwarf_Off cie;
    uint8_t encoding;
};

static size_t encoded_bytes(uint8_t encoding)
{
    switch (encoding & 7) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8: return 8;
    case DW_EH_PE_udata4: return 4;
    case DW_EH_PE_udata2: return 2;
    default: return 0; /* leb128: no compiler writes it here */
    }
}

static uint64_t encoded_value(const uint8_t *at, uint8_t encoding)
{
    bool negative = encoding & DW_EH_PE_signed;
    uint64_t u8;
    uint32_t u4;
    uint16_t u2;
    switch (encoded_bytes(encoding)) {
    case 4: memcpy(&u4, at, 4); return negative ? (uint64_t)(int32_t)u4 : u4;
    case 2: memcpy(&u2, at, 2); return negative ? (uint64_t)(int16_t)u2 : u2;
    default: memcpy(&u8, at, 8); return u8;
    }
}

static bool uleb_skip(const uint8_t **at, const uint8_t *end)
{
    while (*at < end)
        if (!(*(*at)++ & 0x80))
            return true;
    return false;
}

/* The encoding stands in the augmentation data at the place that 'R' has in the string. */
static bool cie_encoding(const Dwarf_CIE *cie, uint8_t *ret_encoding)
{
    const char *letter = cie->augmentation;
    *ret_encoding = DW_EH_PE_absptr;
    if (*letter != 'z')
        return *letter == '\0';
    const uint8_t *at = cie->augmentation_data;
    const uint8_t *end = at + cie->augmentation_data_size;
    while (*++letter) {
        if (at >= end)
            return *letter == 'S' || *letter == 'B';
        switch (*letter) {
        case 'R': *ret_encoding = *at; return true;
        case 'L': at++; break;
        case 'P': {
            size_t bytes = encoded_bytes(*at++);
            if (bytes)
                at += bytes;
            else if (!uleb_skip(&at, end))
                return false;
            break;
        }
        case 'S':
        case 'B': break;
        default: return false;
        }
    }
    return true;
}

static bool reader_learn(struct reader *reader, Dwarf_Off offset)
{
    if (reader->cie == offset)
        return true;
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    if (dwarf_next_cfi(reader->ident, reader->data, true, offset, &next, &entry) != 0 ||
        !dwarf_cfi_cie_p(&entry) || !cie_encoding(&entry.cie, &reader->encoding))
        return false;
    reader->cie = offset;
    return true;
}

static void reader_add(struct reader *reader, const Dwarf_FDE *fde, struct frames *frames)
{
    size_t width = encoded_bytes(reader->encoding);
    uint8_t relative = reader->encoding & 0x70;
    if (!width || (size_t)(fde->end - fde->start) < 2 * width ||
        (relative != DW_EH_PE_absptr && relative != DW_EH_PE_pcrel))
        return;
    uint64_t start = encoded_value(fde->start, reader->encoding);
    uint64_t bytes = encoded_value(fde->start + width, reader->encoding & 7);
    if (relative == DW_EH_PE_pcrel)
        start += reader->address + (uint64_t)(fde->start - (const uint8_t *)reader->data->d_buf);
    if (bytes && start + bytes > start && image_executable(reader->image, (struct svma){start}))
        *vec_push(frames) = (struct frame){{start}, bytes};
}

static int frame_order(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

void frames_read(struct frames *frames, const struct image *image)
{
    *frames = (struct frames){0};
    GElf_Shdr header;
    Elf_Scn *section = section_named(image->file.elf, ".eh_frame", &header);
    struct reader reader = {.image = image,
                            .ident = image->file.bytes,
                            .data = section ? elf_getdata(section, NULL) : NULL,
                            .address = section ? header.sh_addr : 0,
                            .cie = (Dwarf_Off)-1};
    if (!reader.data || !reader.data->d_buf)
        return;
    Dwarf_CFI_Entry entry;
    for (Dwarf_Off at = 0, next;; at = next) {
        next = (Dwarf_Off)-1;
        int status = dwarf_next_cfi(reader.ident, reader.data, true, at, &next, &entry);
        /* An entry that libdw cannot read is skipped if its length is known. */
        if (status > 0 || next <= at || (status < 0 && next == (Dwarf_Off)-1))
            break;
        if (status == 0 && !dwarf_cfi_cie_p(&entry) && reader_learn(&reader, entry.fde.CIE_pointer))
            reader_add(&reader, &entry.fde, frames);
    }
    if (frames->n)
        qsort(frames->at, frames->n, sizeof *frames->at, frame_order);
}

void frames_release(struct frames *frames)
{
    vec_release(frames);
}
