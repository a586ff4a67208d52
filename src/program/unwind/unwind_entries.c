#include "program/unwind/unwind_entries.h"

#include "base/map.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { RETURN_COLUMN = 16 };

/* ---- addresses */

bool unwind_pointer(struct cursor *code, uint8_t encoding, struct svma field, uint64_t *ret_value)
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

/* ---- entries as they are stored */

enum raw_kind { RAW_CIE, RAW_FDE, RAW_TERMINATOR, RAW_BAD };

struct raw_entry {
    enum raw_kind kind;
    uint64_t next;      /* offset of the entry behind this one; 0: its length is not known */
    uint64_t cie;       /* of an FDE: the offset of its CIE */
    struct cursor code; /* what comes behind the CIE's id or the FDE's pointer to its CIE */
};

/* The field that an FDE has its CIE's offset in; a CIE has a number there that is no offset. */
static enum raw_kind raw_kind_of(const struct unwind_section *section, size_t field, size_t wide,
                                 uint64_t value, uint64_t *ret_cie)
{
    if (section->debug && value == (wide == 4 ? DW_CIE_ID_32 : DW_CIE_ID_64))
        return RAW_CIE;
    if (!section->debug && value == 0)
        return RAW_CIE;
    if (!section->debug && value > field)
        return RAW_BAD;
    *ret_cie = section->debug ? value : field - value;
    return RAW_FDE;
}

static struct raw_entry raw_read(const struct unwind_section *section, uint64_t offset)
{
    struct raw_entry raw = {.kind = RAW_BAD};
    if (offset >= section->n)
        return raw;
    struct cursor code = {.at = section->bytes + offset, .end = section->bytes + section->n};
    size_t wide = 4;
    uint64_t length, value;
    if (!code_fixed(&code, 4, false, &length))
        return raw;
    if (length == 0) {
        raw.kind = RAW_TERMINATOR;
        raw.next = offset + 4;
        return raw;
    }
    if (length == DWARF3_LENGTH_64_BIT && !code_fixed(&code, wide = 8, false, &length))
        return raw;
    if (length <= wide || length > cursor_room(&code))
        return raw;
    size_t field = (size_t)(code.at - section->bytes);
    raw.next = field + length;
    raw.code = (struct cursor){.at = code.at, .end = code.at + length};
    if (wide == 4 ? code_fixed(&raw.code, 4, false, &value)
                  : code_fixed(&raw.code, 8, false, &value))
        raw.kind = raw_kind_of(section, field, wide, value, &raw.cie);
    return raw;
}

/* ---- CIEs */

/* The encoding stands in the augmentation data at the place that 'R' has in the string. */
static bool cie_augment(struct unwind_cie *cie, const char *letter, struct cursor data)
{
    uint64_t ignored;
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

/* The head: a version, the augmentation string, from version 4 on the sizes of addresses and
 * segments. */
static bool cie_head(struct cursor *code, uint64_t *ret_version, const char **ret_letters)
{
    uint64_t version, sizes = 8;
    if (!code_fixed(code, 1, false, &version) || (version != 1 && version != 3 && version != 4))
        return false;
    const uint8_t *zero = memchr(code->at, 0, cursor_room(code));
    if (!zero)
        return false;
    *ret_letters = (const char *)code->at;
    *ret_version = version;
    code->at = zero + 1;
    return version < 4 || (code_fixed(code, 2, false, &sizes) && sizes == 8);
}

/* Numbers behind the head; of augmentations only those that say their length are known. */
static bool cie_take(struct unwind_cie *cie, struct cursor code)
{
    uint64_t version, factor, column, bytes;
    const char *letters;
    if (!cie_head(&code, &version, &letters) || !code_leb(&code, false, &cie->code_factor) ||
        !code_leb(&code, true, &factor) ||
        !(version == 1 ? code_fixed(&code, 1, false, &column) : code_leb(&code, false, &column)))
        return false;
    cie->data_factor = (int64_t)factor;
    if (*letters == 'z') {
        if (!code_leb(&code, false, &bytes) || bytes > cursor_room(&code) ||
            !cie_augment(cie, letters, (struct cursor){.at = code.at, .end = code.at + bytes}))
            return false;
        code.at += bytes;
    } else if (*letters) {
        return false;
    }
    cie->program = code;
    return column == RETURN_COLUMN;
}

static struct unwind_cie cie_read(const struct unwind_section *section, uint64_t offset)
{
    struct unwind_cie cie = {.encoding = DW_EH_PE_absptr, .table_encoding = DW_EH_PE_omit};
    struct raw_entry raw = raw_read(section, offset);
    cie.usable = raw.kind == RAW_CIE && cie_take(&cie, raw.code);
    return cie;
}

/* ---- entries */

struct reader {
    const struct unwind_section *section;
    struct map offsets; /* of CIEs -> index above first */
    uint32_t first;
    uint64_t last_offset; /* entries of one CIE come together */
    uint32_t last;
};

static uint32_t reader_cie(struct reader *reader, struct unwind_entries *entries, uint64_t offset)
{
    if (reader->last_offset == offset)
        return reader->last;
    uint32_t known = reader->offsets.n;
    uint32_t index = reader->first + map_add(&reader->offsets, &offset);
    if (reader->offsets.n > known)
        *vec_push(&entries->cies) = cie_read(reader->section, offset);
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
                              struct cursor *code, struct svma *ret_table)
{
    uint64_t bytes, offset = 0;
    if (!code_leb(code, false, &bytes) || bytes > cursor_room(code))
        return false;
    struct cursor data = {.at = code->at, .end = code->at + bytes}, plain = data;
    struct svma field = address_of(reader->section, data.at);
    *ret_table = (struct svma){0};
    if (cie->table_encoding != DW_EH_PE_omit &&
        unwind_pointer(&plain, cie->table_encoding & 15, field, &offset) && offset &&
        !unwind_pointer(&data, cie->table_encoding, field, &ret_table->v))
        *ret_table = (struct svma){0};
    code->at += bytes;
    return true;
}

static void reader_add(struct reader *reader, struct unwind_entries *entries,
                       const struct raw_entry *raw)
{
    uint32_t index = reader_cie(reader, entries, raw->cie);
    const struct unwind_cie *cie = &entries->cies.at[index];
    struct cursor code = raw->code;
    struct svma field = address_of(reader->section, code.at), table = {0};
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

static struct reader reader_make(const struct unwind_entries *entries,
                                 const struct unwind_section *section)
{
    struct reader reader = {
        .section = section, .first = (uint32_t)entries->cies.n, .last_offset = UINT64_MAX};
    map_init(&reader.offsets, sizeof(uint64_t));
    return reader;
}

bool unwind_entries_read_one(struct unwind_entries *entries, const struct unwind_section *section,
                             uint64_t offset)
{
    struct reader reader = reader_make(entries, section);
    struct raw_entry raw = raw_read(section, offset);
    size_t before = entries->n;
    if (raw.kind == RAW_FDE)
        reader_add(&reader, entries, &raw);
    map_release(&reader.offsets);
    return entries->n > before;
}

void unwind_entries_read(struct unwind_entries *entries, const struct unwind_section *section)
{
    struct reader reader = reader_make(entries, section);
    struct raw_entry raw;
    for (uint64_t at = 0; at < section->n; at = raw.next) {
        raw = raw_read(section, at);
        /* A terminator may stand in the middle, where a linker put start files behind others. */
        if (!raw.next || (raw.kind == RAW_TERMINATOR && (section->debug || section->endless)))
            break;
        entries->unreadable += raw.kind == RAW_BAD;
        if (raw.kind == RAW_FDE)
            reader_add(&reader, entries, &raw);
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
