#include "program/unwind/landing_pads.h"

#include "program/elf/image.h"
#include "program/unwind/unwind_entries.h"
#include "program/unwind/unwind_sections.h"

#include <dwarf.h>

/* Of one function: a base (that of the function, unless it is told), a table of types that does not
 * matter here, and the table of calls: stretches of code, each with the pad for what is thrown
 * there, counted from the base; 0 is none. */
static void table_read(struct landing_pads *pads, const struct image *image,
                       const struct unwind_entry *entry)
{
    size_t room;
    const uint8_t *bytes = image_bytes(image, entry->table, &room);
    struct cursor code = {.at = bytes, .end = bytes ? bytes + room : bytes};
    uint64_t base = entry->start.v, ignored, length;
    if (cursor_room(&code) < 3)
        return;
    uint8_t base_encoding = *code.at++;
    struct svma field = {entry->table.v + 1};
    if (base_encoding != DW_EH_PE_omit && !unwind_pointer(&code, base_encoding, field, &base))
        return;
    if (!cursor_room(&code) || (*code.at++ != DW_EH_PE_omit && !code_leb(&code, false, &ignored)) ||
        !cursor_room(&code))
        return;
    uint8_t encoding = *code.at++;
    if (!code_leb(&code, false, &length) || length > cursor_room(&code))
        return;
    code.end = code.at + length;
    while (code.at < code.end) {
        uint64_t start, size, pad;
        if (!unwind_pointer(&code, encoding & 15, field, &start) ||
            !unwind_pointer(&code, encoding & 15, field, &size) ||
            !unwind_pointer(&code, encoding & 15, field, &pad) || !code_leb(&code, false, &ignored))
            return;
        if (pad)
            *vec_push(pads) = (struct svma){base + pad};
    }
}

void landing_pads_read(struct landing_pads *pads, const struct image *image)
{
    struct unwind_entries entries = {0};
    unwind_entries_read_eh(&entries, image);
    for (size_t i = 0; i < entries.n; i++)
        if (entries.at[i].table.v)
            table_read(pads, image, &entries.at[i]);
    unwind_entries_release(&entries);
}
