#include "program/dwarf/dwarf_line.h"

#include "program/dwarf/dwarf_line_header.h"
#include "program/elf/image.h"

#include <dwarf.h>
#include <stdlib.h>

/* The registers of the machine that a line program is written for. */
struct machine {
    struct line_table *table;
    struct line_rows *rows;
    const struct line_header *header;
    const struct image *image;
    uint64_t address, last; /* last: of the sequence's last row */
    struct line_row row;
    size_t first_row;
    enum line_choice choice;
    bool in_sequence, unordered, statement;
};

static void machine_reset(struct machine *machine)
{
    machine->address = 0;
    machine->row = (struct line_row){.file = 1, .line = 1};
    machine->first_row = machine->rows->n;
    machine->in_sequence = machine->unordered = false;
    machine->statement = machine->header->default_statement;
}

static bool same_place(const struct line_row *a, const struct line_row *b)
{
    return a->line == b->line && a->file == b->file && a->column == b->column &&
           a->discriminator == b->discriminator;
}

static void row_add(struct machine *machine)
{
    struct line_rows *rows = machine->rows;
    struct line_row row = machine->row;
    row.start = machine->address;
    machine->row.discriminator = 0;
    struct line_row *before = rows->n > machine->first_row ? &rows->at[rows->n - 1] : NULL;
    if (before && row.start < machine->last)
        machine->unordered = true;
    machine->last = row.start;
    machine->in_sequence = true;
    if (machine->choice == LINE_STATEMENTS) {
        if (machine->statement)
            *vec_push(rows) = row;
        return;
    }
    if (before && before->start == row.start)
        *before = row;
    else if (!before || !same_place(before, &row))
        *vec_push(rows) = row;
}

static int row_order(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static void sequence_end(struct machine *machine)
{
    struct line_rows *rows = machine->rows;
    size_t first = machine->first_row, n = rows->n - first;
    if (machine->unordered)
        qsort(rows->at + first, n, sizeof *rows->at, row_order);
    uint64_t start = n ? rows->at[first].start : 0;
    if (n && start < machine->address && image_executable(machine->image, (struct svma){start}))
        *vec_push(&machine->table->sequences) =
            (struct line_sequence){start, machine->address, first, n};
    else
        rows->n = first;
    machine_reset(machine);
}

static void advance(struct machine *machine, uint64_t operations)
{
    machine->address += operations * machine->header->instruction_bytes;
}

static void special_run(struct machine *machine, uint8_t opcode)
{
    uint8_t adjusted = (uint8_t)(opcode - machine->header->opcode_base);
    advance(machine, adjusted / machine->header->line_range);
    machine->row.line +=
        (uint32_t)(machine->header->line_base + adjusted % machine->header->line_range);
    row_add(machine);
}

static void extended_run(struct machine *machine, struct cursor *cursor)
{
    uint64_t bytes = cursor_uleb(cursor);
    if (!bytes || !cursor_has(cursor, bytes)) {
        cursor->bad = true;
        return;
    }
    struct cursor inside = {cursor->at, cursor->at + bytes, false};
    cursor->at = inside.end;
    switch (cursor_u8(&inside)) {
    case DW_LNE_end_sequence: sequence_end(machine); break;
    case DW_LNE_set_address: machine->address = cursor_offset(&inside, bytes == 9 ? 8 : 4); break;
    case DW_LNE_set_discriminator:
        machine->row.discriminator = (uint32_t)cursor_uleb(&inside);
        break;
    default: break; /* what it is ends where it says */
    }
    cursor->bad |= inside.bad;
}

static void standard_run(struct machine *machine, struct cursor *cursor, uint8_t opcode)
{
    uint64_t value;
    switch (opcode) {
    case 0: extended_run(machine, cursor); break;
    case DW_LNS_copy: row_add(machine); break;
    case DW_LNS_advance_pc: advance(machine, cursor_uleb(cursor)); break;
    case DW_LNS_advance_line: machine->row.line += (uint32_t)cursor_sleb(cursor); break;
    case DW_LNS_set_file: machine->row.file = (uint32_t)cursor_uleb(cursor); break;
    case DW_LNS_set_column:
        value = cursor_uleb(cursor);
        machine->row.column = value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
        break;
    case DW_LNS_negate_stmt: machine->statement = !machine->statement; break;
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin: break;
    case DW_LNS_const_add_pc:
        advance(machine, (255u - machine->header->opcode_base) / machine->header->line_range);
        break;
    case DW_LNS_fixed_advance_pc: machine->address += cursor_uint(cursor, 2); break;
    case DW_LNS_set_isa: cursor_skip_leb(cursor); break;
    default:
        for (uint8_t n = machine->header->operands[opcode]; n > 0; n--)
            cursor_skip_leb(cursor);
    }
}

void line_table_read(struct line_table *table, const struct dwarf_sections *sections,
                     uint64_t offset, const struct dwarf_unit *unit, const struct image *image,
                     enum line_choice choice, struct name_budget *names, struct line_rows *scratch)
{
    *table = (struct line_table){0};
    struct line_header header;
    const char *why = line_header_read(&header, table, sections, offset, unit, names);
    if (why) {
        damage_note(&table->damage, ".debug_line", offset, why);
        return;
    }
    struct machine machine = {
        .table = table, .rows = scratch, .header = &header, .image = image, .choice = choice};
    struct cursor cursor = header.program;
    scratch->n = 0;
    machine_reset(&machine);
    while (cursor.at < cursor.end && !cursor.bad) {
        uint8_t opcode = *cursor.at++;
        if (opcode >= header.opcode_base)
            special_run(&machine, opcode);
        else
            standard_run(&machine, &cursor, opcode);
    }
    if (cursor.bad || machine.in_sequence) {
        damage_note(&table->damage, ".debug_line",
                    (uint64_t)(cursor.at - sections->at[DWARF_LINE].at),
                    "a line program is cut off");
        scratch->n = machine.first_row;
    }
    if (scratch->n) {
        table->rows = mem_resize(NULL, scratch->n * sizeof *table->rows);
        memcpy(table->rows, scratch->at, scratch->n * sizeof *table->rows);
    }
}

void line_table_release(struct line_table *table)
{
    vec_release(&table->files);
    mem_free(table->rows);
    vec_release(&table->sequences);
}
