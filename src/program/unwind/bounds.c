#include "program/unwind/bounds.h"

#include "program/elf/image.h"

#include <gelf.h>

#include <string.h>

/* The encodings that linkers write: the count as 4 bytes, the table as pairs of 4 bytes, signed and
 * relative to the start of the header. */
enum { VERSION = 1, COUNT_UDATA4 = 0x03, TABLE_DATAREL_SDATA4 = 0x3b };
enum { HEADER_BYTES = 12, ENTRY_BYTES = 8 };

static bool header_find(const struct image *image, struct svma *ret_header)
{
    GElf_Phdr program;
    size_t n;
    if (elf_getphdrnum(image->file.elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n && i < INT32_MAX; i++)
        if (gelf_getphdr(image->file.elf, (int)i, &program) && program.p_type == PT_GNU_EH_FRAME) {
            *ret_header = (struct svma){program.p_vaddr};
            return true;
        }
    return false;
}

void bounds_read(struct bounds *bounds, const struct image *image)
{
    *bounds = (struct bounds){0};
    struct svma header;
    size_t room = 0;
    const uint8_t *bytes = header_find(image, &header) ? image_bytes(image, header, &room) : NULL;
    if (!bytes || room < HEADER_BYTES || bytes[0] != VERSION || bytes[2] != COUNT_UDATA4 ||
        bytes[3] != TABLE_DATAREL_SDATA4)
        return;
    uint32_t n;
    memcpy(&n, bytes + HEADER_BYTES - sizeof n, sizeof n);
    if (n > (room - HEADER_BYTES) / ENTRY_BYTES)
        return;
    bounds->base = header.v;
    vec_reserve(bounds, n);
    for (bounds->n = 0; bounds->n < n; bounds->n++)
        memcpy(&bounds->at[bounds->n], bytes + HEADER_BYTES + bounds->n * ENTRY_BYTES,
               sizeof *bounds->at);
}

void bounds_release(struct bounds *bounds)
{
    vec_release(bounds);
}

bool bounds_find(const struct bounds *bounds, struct svma at, struct svma *ret_start,
                 struct svma *ret_end)
{
    int64_t wanted = (int64_t)(at.v - bounds->base);
    size_t low = 0, high = bounds->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bounds->at[middle] <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    *ret_start = (struct svma){bounds->base + (uint64_t)(int64_t)bounds->at[low - 1]};
    *ret_end = (struct svma){low < bounds->n ? bounds->base + (uint64_t)(int64_t)bounds->at[low]
                                             : UINT64_MAX};
    return true;
}
