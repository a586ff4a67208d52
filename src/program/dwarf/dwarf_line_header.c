#include "program/dwarf/dwarf_line_header.h"

#include "program/dwarf/dwarf_line.h"

#include <dwarf.h>

struct folders {
    VEC(const char *);
};

/* How wide this table's offsets are, and how strings are found. */
struct reader {
    const struct dwarf_sections *sections;
    const struct dwarf_unit *unit;
    unsigned offset_bytes;
    struct cursor cursor;
    uint64_t names_left, names_used; /* bytes */
};

static bool is_absolute(const char *path)
{
    return path && path[0] == '/';
}

/* ---- before DWARF 5: lists of strings, counted from 1; folder 0 is the unit's */

static void old_files_read(struct reader *reader, struct line_table *table, struct folders *folders)
{
    struct cursor *cursor = &reader->cursor;
    *vec_push(folders) = NULL;
    for (const char *folder; (folder = cursor_string(cursor)) && *folder;)
        *vec_push(folders) = folder;
    *vec_push(&table->files) = (struct line_file){0};
    for (const char *name; (name = cursor_string(cursor)) && *name;) {
        uint64_t index = cursor_uleb(cursor);
        cursor_skip_leb(cursor); /* when it was changed */
        cursor_skip_leb(cursor); /* how long it is */
        const char *folder = index < folders->n ? folders->at[index] : NULL;
        *vec_push(&table->files) = (struct line_file){name, folder, !is_absolute(folder)};
    }
}

/* ---- DWARF 5: tables that say what they hold */

enum { FORMATS_MAX = 16 };
struct entry_format {
    unsigned n;
    uint64_t content[FORMATS_MAX], form[FORMATS_MAX];
};

static bool format_read(struct cursor *cursor, struct entry_format *format)
{
    format->n = cursor_u8(cursor);
    if (format->n > FORMATS_MAX)
        return false;
    for (unsigned i = 0; i < format->n; i++) {
        format->content[i] = cursor_uleb(cursor);
        format->form[i] = cursor_uleb(cursor);
    }
    return !cursor->bad;
}

/* A string or a number, by its form. False: nobody writes this form here. */
static bool content_read(struct reader *reader, uint64_t form, const char **ret_text,
                         uint64_t *ret_number)
{
    struct cursor *cursor = &reader->cursor;
    struct die die = {.has = 1u << DIE_NAME};
    *ret_text = NULL;
    *ret_number = 0;
    switch (form) {
    case DW_FORM_string: *ret_text = cursor_string(cursor); return true;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
        *ret_text =
            dwarf_string(reader->sections, form == DW_FORM_strp ? DWARF_STR : DWARF_LINE_STR,
                         cursor_offset(cursor, reader->offset_bytes));
        return true;
    case DW_FORM_strp_sup: cursor_offset(cursor, reader->offset_bytes); return true;
    case DW_FORM_strx: die.value[DIE_NAME] = cursor_uleb(cursor); break;
    case DW_FORM_strx1: die.value[DIE_NAME] = cursor_u8(cursor); break;
    case DW_FORM_strx2: die.value[DIE_NAME] = cursor_uint(cursor, 2); break;
    case DW_FORM_strx3: die.value[DIE_NAME] = cursor_uint(cursor, 3); break;
    case DW_FORM_strx4: die.value[DIE_NAME] = cursor_u32(cursor); break;
    case DW_FORM_data1: *ret_number = cursor_u8(cursor); return true;
    case DW_FORM_data2: *ret_number = cursor_uint(cursor, 2); return true;
    case DW_FORM_data4: *ret_number = cursor_u32(cursor); return true;
    case DW_FORM_data8: *ret_number = cursor_u64(cursor); return true;
    case DW_FORM_udata: *ret_number = cursor_uleb(cursor); return true;
    case DW_FORM_data16: cursor_skip(cursor, 16); return true;
    case DW_FORM_block: cursor_skip(cursor, cursor_uleb(cursor)); return true;
    default: return false;
    }
    die.form[DIE_NAME] = DW_FORM_strx;
    if (reader->unit)
        *ret_text = die_string(reader->unit, &die, DIE_NAME, NULL);
    return true;
}

/* One entry: its path, and the folder that it lies in. */
static bool entry_read(struct reader *reader, const struct entry_format *format,
                       const char **ret_path, uint64_t *ret_folder)
{
    *ret_path = NULL;
    *ret_folder = 0;
    for (unsigned i = 0; i < format->n; i++) {
        const char *text;
        uint64_t number;
        if (!content_read(reader, format->form[i], &text, &number))
            return false;
        reader->names_used += text ? strlen(text) : 0;
        if (reader->names_used > reader->names_left)
            return false;
        if (format->content[i] == DW_LNCT_path)
            *ret_path = text;
        else if (format->content[i] == DW_LNCT_directory_index)
            *ret_folder = number;
    }
    return !reader->cursor.bad;
}

/* Every entry takes at least a byte, so their number is bounded by what is there. */
static bool new_files_read(struct reader *reader, struct line_table *table, struct folders *folders)
{
    struct entry_format format;
    const char *path;
    uint64_t folder;
    if (!format_read(&reader->cursor, &format))
        return false;
    uint64_t n = cursor_uleb(&reader->cursor);
    if (n && (!format.n || n > cursor_room(&reader->cursor)))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!entry_read(reader, &format, &path, &folder))
            return false;
        *vec_push(folders) = path;
    }
    if (!format_read(&reader->cursor, &format))
        return false;
    n = cursor_uleb(&reader->cursor);
    if (n && (!format.n || n > cursor_room(&reader->cursor)))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!entry_read(reader, &format, &path, &folder))
            return false;
        const char *in = folder < folders->n ? folders->at[folder] : NULL;
        *vec_push(&table->files) = (struct line_file){path, in, folder && !is_absolute(in)};
    }
    return true;
}

/* ---- the header */

static bool opcodes_read(struct line_header *header, struct cursor *cursor, uint64_t version)
{
    header->instruction_bytes = cursor_u8(cursor);
    if (version >= 4)
        cursor_u8(cursor); /* operations an instruction: 1 here */
    header->default_statement = cursor_u8(cursor);
    header->line_base = (int8_t)cursor_u8(cursor);
    header->line_range = cursor_u8(cursor);
    header->opcode_base = cursor_u8(cursor);
    for (unsigned i = 1; i < header->opcode_base; i++)
        header->operands[i] = cursor_u8(cursor);
    return !cursor->bad && header->line_range && header->opcode_base;
}

const char *line_header_read(struct line_header *header, struct line_table *table,
                             const struct dwarf_sections *sections, uint64_t offset,
                             const struct dwarf_unit *unit, struct name_budget *names)
{
    *header = (struct line_header){0};
    struct reader reader = {.sections = sections,
                            .unit = unit,
                            .offset_bytes = 4,
                            .names_left = atomic_load(&names->left),
                            .cursor = dwarf_cursor(sections, DWARF_LINE, offset)};
    struct cursor *cursor = &reader.cursor;
    uint64_t bytes = cursor_u32(cursor);
    if (bytes == UINT32_MAX) {
        bytes = cursor_u64(cursor);
        reader.offset_bytes = 8;
    }
    if (cursor->bad || bytes > cursor_room(cursor))
        return "a line table reaches beyond the end of the section";
    cursor->end = cursor->at + bytes;
    table->bytes = bytes;
    uint64_t version = cursor_uint(cursor, 2);
    if (version < 2 || version > 5)
        return "a line table has a version that is not known";
    if (version >= 5)
        cursor_uint(cursor, 2); /* sizes of addresses and segments */
    uint64_t header_bytes = cursor_offset(cursor, reader.offset_bytes);
    if (cursor->bad || header_bytes > cursor_room(cursor))
        return "a line table's header is cut off";
    header->program = (struct cursor){cursor->at + header_bytes, cursor->end, false};
    cursor->end = header->program.at;
    if (!opcodes_read(header, cursor, version))
        return "a line table's header makes no sense";
    struct folders folders = {0};
    bool whole = true;
    if (version >= 5)
        whole = new_files_read(&reader, table, &folders);
    else
        old_files_read(&reader, table, &folders);
    vec_release(&folders);
    uint64_t left = atomic_load(&names->left), used = reader.names_used;
    while (!atomic_compare_exchange_weak(&names->left, &left, left > used ? left - used : 0))
        ;
    return whole && !cursor->bad ? NULL : "a line table's list of files makes no sense";
}
