#include "cmd/lab_show.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "lab/draw/curves.h"
#include "lab/lab.h"
#include "lab/draw/plot.h"
#include "lab/draw/scatter.h"
#include "text/sheet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Words can have commas in them. */
static void csv_cell(FILE *to, const char *text, bool behind)
{
    const char *quote = strpbrk(text, ",\"") ? "\"" : "";
    fprintf(to, "%s%s", behind ? "," : "", quote);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputs(quote, to);
}

static void csv_print(FILE *to, const struct lab_rows *rows)
{
    for (size_t i = 0; rows->table->columns[i]; i++)
        csv_cell(to, rows->table->columns[i], i > 0);
    fputc('\n', to);
    for (size_t r = 0; r < rows->n; r++) {
        for (size_t i = 0; i < rows->at[r].cells.n; i++)
            csv_cell(to, rows->at[r].cells.at[i], i > 0);
        fputc('\n', to);
    }
}

static void points_print(FILE *to, const struct lab_rows *rows)
{
    const struct lab_scatter *scatter = rows->table->scatter;
    const char *const head[] = {"series", scatter->name, scatter->x, scatter->y};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        csv_cell(to, head[i], i > 0);
    fputc('\n', to);
    for (size_t i = 0; i < rows->points.n; i++) {
        const struct lab_point *point = &rows->points.at[i];
        csv_cell(to, point->series, false);
        csv_cell(to, point->name, true);
        fprintf(to, ",%.10g,%.6g\n", point->x, point->y);
    }
}

static void plot_print(FILE *to, const struct lab_rows *rows)
{
    if (rows->table->scatter) {
        lab_scatter(to, rows);
        return;
    }
    (rows->table->curves ? lab_curves : lab_plot)(to, rows->table, rows->at, rows->n);
}

static void text_print(const struct lab_rows *rows)
{
    struct sheet sheet;
    char align[32] = "";
    const char *const *columns = rows->table->columns;
    for (size_t i = 0; columns[i] && i + 1 < sizeof align; i++)
        align[i] = i ? 'r' : 'l';
    sheet_begin(&sheet, align, NULL);
    for (size_t i = 0; columns[i]; i++)
        sheet_cell(&sheet, "%s", columns[i]);
    for (size_t r = 0; r < rows->n; r++)
        for (size_t i = 0; i < rows->at[r].cells.n && !rows->at[r].fine; i++)
            sheet_cell(&sheet, "%s", rows->at[r].cells.at[i]);
    printf("%s: %s\n\n", rows->table->name, rows->table->title);
    sheet_end(&sheet, stdout);
    for (size_t i = 0; i < rows->claims.n; i++)
        printf("%s- %s\n", i ? "" : "\n", rows->claims.at[i]);
}

/* NULL: nowhere. */
static bool file_write(const struct lab_rows *rows, const char *path,
                       void (*print)(FILE *to, const struct lab_rows *rows), struct err *err)
{
    if (!path)
        return true;
    FILE *to = fopen(path, "we");
    if (!to)
        return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
    print(to, rows);
    bool bad = ferror(to);
    if (fclose(to) != 0 || bad)
        return err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    return true;
}

int lab_show(const struct lab_rows *rows, const struct lab_outputs *outputs)
{
    struct err err;
    if (!file_write(rows, outputs->plot, plot_print, &err) ||
        !file_write(rows, outputs->points, points_print, &err) ||
        !file_write(rows, outputs->csv_file, csv_print, &err))
        return say_err(&err);
    if (outputs->csv)
        csv_print(stdout, rows);
    else
        text_print(rows);
    return output_status();
}
