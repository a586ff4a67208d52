#include "export/gcda/statements.h"

#include "program/binary.h"

void statements_read(struct statements *statements, const struct binary *binary)
{
    struct lines lines;
    *statements = (struct statements){0};
    lines_read_statements(&lines, binary->debug);
    for (size_t i = 0; i < lines.stretches.n; i++) {
        const struct stretch *stretch = &lines.stretches.at[i];
        const struct line_run *run = &lines.runs.at[stretch->value];
        for (size_t r = 0; r < run->n_rows; r++) {
            const struct line_row *row = &run->rows[r];
            if (row->start < stretch->start || row->start >= stretch->end)
                continue;
            /* One pointer for one file, as the chains have it, would need one table: names do. */
            const char *file = lines_file(binary->lines, run->table, row->file);
            if (file)
                *vec_push(statements) = (struct statement){row->start, file, row->line, row->column,
                                                           row->discriminator};
        }
    }
    lines_release(&lines);
}

size_t statements_from(const struct statements *statements, uint64_t at)
{
    size_t low = 0, high = statements->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (statements->at[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
