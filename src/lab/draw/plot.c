#include "lab/draw/plot.h"

#include "lab/draw/svg.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 60, WIDTH = 900, TOP = 40, TITLE = 24, BARS = 90, LABELS = 32 };
enum { CROWDED = 6 }; /* names of so many bars stand in two lines */
enum { PANEL = TITLE + BARS + LABELS };

double lab_number(const struct lab_row *row, size_t column)
{
    if (column >= row->cells.n)
        return NAN;
    const char *text = row->cells.at[column];
    char *end;
    double value = strtod(text, &end);
    return end != text && (!*end || (*end == '%' && !end[1])) ? value : (double)NAN;
}

/* The largest of a column; not a number: a cell has words, or all are empty. */
static double column_most(const struct lab_row *rows, size_t n, size_t column)
{
    double most = NAN;
    for (size_t i = 0; i < n; i++) {
        double value = lab_number(&rows[i], column);
        if (isnan(value) && column < rows[i].cells.n && *rows[i].cells.at[column])
            return NAN;
        most = fmax(most, value);
    }
    return most;
}

/* The number stands above its bar, as the table has it; its name `below` the line. */
static void bar_put(FILE *to, const struct lab_row *row, size_t column, double most, double left,
                    double room, double bottom, double below)
{
    double value = lab_number(row, column), middle = left + room / 2;
    svg_text(to, middle, bottom + below, "middle", row->cells.at[0]);
    if (isnan(value))
        return;
    double high = most > 0 && value > 0 ? (BARS - 14) * value / most : 0;
    fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#3b7dd8\"/>\n",
            left + 0.15 * room, bottom - high, 0.7 * room, high);
    svg_text(to, middle, bottom - high - 3, "middle", row->cells.at[column]);
}

static void panel_put(FILE *to, const char *title, const struct lab_row *rows, size_t n,
                      size_t column, double top)
{
    double most = column_most(rows, n, column), bottom = top + TITLE + BARS,
           room = WIDTH / (double)n;
    svg_text(to, LEFT, top + 14, "start", title);
    fprintf(to, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#000\"/>\n", LEFT,
            LEFT + WIDTH, bottom, bottom);
    for (size_t i = 0; i < n; i++)
        bar_put(to, &rows[i], column, most, LEFT + room * (double)i, room, bottom,
                n > CROWDED && i % 2 ? 24 : 14);
}

void lab_plot(FILE *to, const struct lab_table *table, const struct lab_row *rows, size_t n)
{
    size_t panels = 0;
    for (size_t i = 1; table->columns[i]; i++)
        panels += isnan(column_most(rows, n, i)) ? 0 : 1;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %zu\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            LEFT + WIDTH + 20, (size_t)TOP + panels * PANEL);
    svg_text(to, LEFT, TOP / 2.0, "start", table->title);
    double top = TOP;
    for (size_t i = 1; table->columns[i]; i++) {
        if (isnan(column_most(rows, n, i)))
            continue;
        panel_put(to, table->columns[i], rows, n, i, top);
        top += PANEL;
    }
    fputs("</svg>\n", to);
}
