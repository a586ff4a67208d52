#include "program/unwind/unwind_entries.h"

#include "base/map.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum { RETURN_COLUMN = 16 };

/* ---- addresses */

bool unwind_pointer(struct unwind_code *code, uint8_t encoding, struct svma field,
                    uint64_t *ret_value)
{
    uint64_t value;
    bool is_signed = encoding & DW_EH_PE_signed, ok;
    switch (encoding & 7) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8: ok = code_fixed(code, 8, is_signed, &value); break;
    case DW_EH_PE_udata4: ok = code_fixed(code, 4, is_signed, &value); break;
    case DW_EH_PE_udata2: ok = code_fixed(code, 2, is_signed, &value); break;
    case DW_EH_PE_uleb128: ok = code_leb(code, is_signed, &value); break;
    default: ok = false;
    }
    if (!ok || (encoding & DW_EH_PE_indirect))
        return false;
    switch (encoding & 0x70) {
    case DW_EH_PE_absptr: *ret_value = value; return true;
    case DW_EH_PE_pcrel: *ret_value = value + field.v; return true;
    default: return false;
    }
}

/* ---- CIEs */

/* The encoding stands in the augmentation data at the place that 'R' has in the string. */
static bool cie_augment(struct unwind_cie *cie, const Dwarf_CIE *raw)
{
    const char *letter = raw->augmentation;
    struct unwind_code data = {raw->augmentation_data,
                               raw->augmentation_data + raw->augmentation_data_size};
    uint64_t ignored;
    if (*letter != 'z')
        return *letter == '\0';
    while (*++letter)
        switch (*letter) {
        case 'R':
            if (data.at == data.end)
                return false;
            cie->encoding = *data.at++;
            break;
        case 'L':
            if (data.at == data.end)
                return false;
            cie->table_encoding = *data.at++;
            break;
        case 'P': {
            uint8_t encoding = data.at < data.end ? *data.at++ : DW_EH_PE_omit;
            /* Only its length counts. */
            if (!unwind_pointer(&data, encoding & 0x0F, (struct svma){0}, &ignored))
                return false;
            break;
        }
        case 'S': cie->signal = true; break;
        case 'B': break;
        default: return false;
        }
    return true;
}

static struct unwind_cie cie_read(const Dwarf_CIE *raw)
{
    struct unwind_cie cie = {.encoding = DW_EH_PE_absptr,
                             .table_encoding = DW_EH_PE_omit,
                             .code_factor = raw->code_alignment_factor,
                             .data_factor = raw->data_alignment_factor,
                             .program = {raw->initial_instructions, raw->initial_instructions_end}};
    cie.usable = cie_augment(&cie, raw) && raw->return_address_register == RETURN_COLUMN;
    return cie;
}

/* ---- entries */

struct reader {
    const struct unwind_section *section;
    Elf_Data data;
    unsigned char ident[EI_NIDENT];
    struct map offsets; /* of CIEs -> index above first */
    uint32_t first;
    uint64_t last_offset; /* entries of one CIE come together */
    uint32_t last;
};

static uint32_t reader_cie(struct reader *reader, struct unwind_entries *entries, Dwarf_Off offset)
{
    if (reader->last_offset == offset)
        return reader->last;
    uint32_t known = reader->offsets.n;
    uint32_t index = reader->first + map_add(&reader->offsets, &offset);
    if (reader->offsets.n > known) {
        Dwarf_CFI_Entry entry;
        Dwarf_Off next;
        struct unwind_cie *cie = vec_push(&entries->cies);
        if (dwarf_next_cfi(reader->ident, &reader->data, !reader->section->debug, offset, &next,
                           &entry) == 0 &&
            dwarf_cfi_cie_p(&entry))
            *cie = cie_read(&entry.cie);
    }
    reader->last_offset = offset;
    return reader->last = index;
}

static struct svma address_of(const struct unwind_section *section, const uint8_t *at)
{
    return (struct svma){section->address.v + (uint64_t)(at - section->bytes)};
}

/* The FDE's augmentation data: where its exception table is. A pointer of 0 is none, whatever it
 * counts from. */
static bool augmentation_read(const struct reader *reader, const struct unwind_cie *cie,
                              struct unwind_code *code, struct svma *ret_table)
{
    uint64_t bytes, offset = 0;
    if (!code_leb(code, false, &bytes) || bytes > code_left(code))
        return false;
    struct unwind_code data = {code->at, code->at + bytes}, plain = data;
    struct svma field = address_of(reader->section, data.at);
    *ret_table = (struct svma){0};
    if (cie->table_encoding != DW_EH_PE_omit &&
        unwind_pointer(&plain, cie->table_encoding & 15, field, &offset) && offset &&
        !unwind_pointer(&data, cie->table_encoding, field, &ret_table->v))
        *ret_table = (struct svma){0};
    code->at += bytes;
    return true;
}

static void reader_add(struct reader *reader, struct unwind_entries *entries, const Dwarf_FDE *fde)
{
    uint32_t index = reader_cie(reader, entries, fde->CIE_pointer);
    const struct unwind_cie *cie = &entries->cies.at[index];
    struct unwind_code code = {fde->start, fde->end};
    struct svma field = address_of(reader->section, fde->start), table = {0};
    uint64_t start, bytes;
    if (!cie->usable || !unwind_pointer(&code, cie->encoding, field, &start) ||
        !unwind_pointer(&code, cie->encoding & 7, field, &bytes) ||
        (!reader->section->debug && !augmentation_read(reader, cie, &code, &table)) ||
        start + bytes < start) {
        entries->unreadable++;
        return;
    }
    if (bytes)
        *vec_push(entries) =
            (struct unwind_entry){{start}, bytes, index, (uint32_t)entries->n, code, table};
}

enum { TERMINATOR_BYTES = 4 };

static bool is_terminator(const struct unwind_section *section, Dwarf_Off at)
{
    static const uint8_t zero[TERMINATOR_BYTES];
    return section->n - at >= sizeof zero && memcmp(section->bytes + at, zero, sizeof zero) == 0;
}

static void reader_init(struct reader *reader, const struct unwind_entries *entries,
                        const struct unwind_section *section)
{
    union {
        const uint8_t *in;
        void *out;
    } bytes = {section->bytes}; /* libdw only reads, but its type cannot say so */
    *reader =
        (struct reader){.section = section,
                        .data = {.d_buf = bytes.out, .d_size = section->n, .d_type = ELF_T_BYTE},
                        .ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                        .first = (uint32_t)entries->cies.n,
                        .last_offset = UINT64_MAX};
    map_init(&reader->offsets, sizeof(Dwarf_Off));
}

bool unwind_entries_read_one(struct unwind_entries *entries, const struct unwind_section *section,
                             uint64_t offset)
{
    struct reader reader;
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    size_t before = entries->n;
    reader_init(&reader, entries, section);
    if (dwarf_next_cfi(reader.ident, &reader.data, !section->debug, offset, &next, &entry) == 0 &&
        !dwarf_cfi_cie_p(&entry))
        reader_add(&reader, entries, &entry.fde);
    map_release(&reader.offsets);
    return entries->n > before;
}

void unwind_entries_read(struct unwind_entries *entries, const struct unwind_section *section)
{
    struct reader reader;
    reader_init(&reader, entries, section);
    Dwarf_CFI_Entry entry;
    for (Dwarf_Off at = 0, next; at < section->n; at = next) {
        next = (Dwarf_Off)-1;
        int status = dwarf_next_cfi(reader.ident, &reader.data, !section->debug, at, &next, &entry);
        /* libdw stops at a terminator, but one may stand in the middle, where a linker put start
         * files behind others. An entry that libdw cannot read is skipped if its length is known.
         */
        if (status > 0 && !section->debug && !section->endless && is_terminator(section, at))
            next = at + TERMINATOR_BYTES;
        if (next <= at || next == (Dwarf_Off)-1)
            break;
        if (status < 0)
            entries->unreadable++;
        if (status == 0 && !dwarf_cfi_cie_p(&entry))
            reader_add(&reader, entries, &entry.fde);
    }
    map_release(&reader.offsets);
}

void unwind_entries_release(struct unwind_entries *entries)
{
    vec_release(&entries->cies);
    vec_release(entries);
}

static int entry_order(const void *a, const void *b)
{
    const struct unwind_entry *x = a, *y = b;
    if (x->start.v != y->start.v)
        return x->start.v < y->start.v ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void unwind_entries_sort(struct unwind_entries *entries)
{
    if (entries->n)
        qsort(entries->at, entries->n, sizeof *entries->at, entry_order);
}
