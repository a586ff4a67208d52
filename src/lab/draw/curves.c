#include "lab/draw/curves.h"

#include "lab/draw/plot.h"
#include "lab/draw/svg.h"

#include <math.h>
#include <string.h>

enum { LEFT = 60, TOP = 56, WIDTH = 400, HEIGHT = 130, GAP_X = 70, GAP_Y = 50, UNITS = 2 };

static const char *const colours[] = {"#c44e52", "#8c8c8c", "#3b7dd8", "#55a868",
                                      "#8172b2", "#dd8452", "#222222"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Rows of one name. */
struct group {
    const struct lab_table *table;
    const struct lab_row *rows;
    size_t n;
};

/* A place on paper, and what it shows. The way there is shown by its logarithm. */
struct panel {
    double left, bottom, first, last, most;
};

static const char *unit_of(const char *title)
{
    const char *space = strrchr(title, ' ');
    return space ? space + 1 : title;
}

static bool is_of(const struct lab_table *table, size_t column, const char *unit)
{
    return strcmp(unit_of(table->columns[column]), unit) == 0;
}

/* The first column whose unit is another than `unit`; 0: there is none. */
static size_t other_unit(const struct lab_table *table, const char *unit)
{
    for (size_t i = 2; table->columns[i]; i++)
        if (!is_of(table, i, unit))
            return i;
    return 0;
}

static double panel_x(const struct panel *panel, double far)
{
    double all = log(panel->last / panel->first);
    return panel->left + (all > 0 ? WIDTH * log(far / panel->first) / all : 0);
}

static double panel_y(const struct panel *panel, double much)
{
    return panel->bottom - (panel->most > 0 ? HEIGHT * much / panel->most : 0);
}

static struct panel panel_of(const struct group *group, const char *unit)
{
    struct panel panel = {.first = lab_number(&group->rows[0], 1),
                          .last = lab_number(&group->rows[group->n - 1], 1)};
    for (size_t c = 2; group->table->columns[c]; c++)
        for (size_t i = 0; i < group->n && is_of(group->table, c, unit); i++)
            panel.most = fmax(panel.most, lab_number(&group->rows[i], c));
    return panel;
}

static void curve_put(FILE *to, const struct panel *panel, const struct group *group, size_t column,
                      const char *colour)
{
    fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour);
    for (size_t i = 0; i < group->n; i++) {
        double far = lab_number(&group->rows[i], 1), much = lab_number(&group->rows[i], column);
        if (far > 0 && !isnan(much))
            fprintf(to, "%.1f,%.1f ", panel_x(panel, far), panel_y(panel, much));
    }
    fputs("\"/>\n", to);
}

static void frame_put(FILE *to, const struct panel *panel, const struct group *group,
                      const char *unit)
{
    char text[256];
    fprintf(to, "<path d=\"M%.1f %.1fv%dh%d\" fill=\"none\" stroke=\"#000\"/>\n", panel->left,
            panel->bottom - HEIGHT, HEIGHT, WIDTH);
    snprintf(text, sizeof text, "%s, %s", group->rows[0].cells.at[0], unit);
    svg_text(to, panel->left + 4, panel->bottom - HEIGHT - 4, "start", text);
    snprintf(text, sizeof text, "%.3g", panel->most);
    svg_text(to, panel->left - 4, panel->bottom - HEIGHT + 8, "end", text);
    svg_text(to, panel->left - 4, panel->bottom, "end", "0");
    svg_text(to, panel->left, panel->bottom + 14, "start", group->rows[0].cells.at[1]);
    svg_text(to, panel->left + WIDTH, panel->bottom + 14, "end",
             group->rows[group->n - 1].cells.at[1]);
    svg_text(to, panel->left + WIDTH / 2.0, panel->bottom + 14, "middle", group->table->columns[1]);
}

static void panel_put(FILE *to, const struct group *group, const char *unit, double left,
                      double bottom)
{
    struct panel panel = panel_of(group, unit);
    size_t colour = 0;
    panel.left = left;
    panel.bottom = bottom;
    frame_put(to, &panel, group, unit);
    for (size_t c = 2; group->table->columns[c]; c++)
        if (is_of(group->table, c, unit))
            curve_put(to, &panel, group, c, colours[colour++ % COLOURS]);
}

/* Names of the curves, of the columns of the first unit. */
static void legend_put(FILE *to, const struct lab_table *table)
{
    double x = LEFT;
    size_t colour = 0;
    for (size_t c = 2; table->columns[c]; c++) {
        if (!is_of(table, c, unit_of(table->columns[2])))
            continue;
        fprintf(to, "<g fill=\"%s\">", colours[colour++ % COLOURS]);
        svg_text(to, x, 34, "start", table->columns[c]);
        fputs("</g>\n", to);
        x += 110;
    }
}

static size_t group_end(const struct lab_row *rows, size_t n, size_t first)
{
    size_t end = first;
    while (end < n && strcmp(rows[end].cells.at[0], rows[first].cells.at[0]) == 0)
        end++;
    return end;
}

static size_t groups_count(const struct lab_row *rows, size_t n)
{
    size_t groups = 0;
    for (size_t i = 0; i < n; i = group_end(rows, n, i))
        groups++;
    return groups;
}

void lab_curves(FILE *to, const struct lab_table *table, const struct lab_row *rows, size_t n)
{
    const char *unit = unit_of(table->columns[2]);
    size_t other = other_unit(table, unit);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %zu\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            LEFT + UNITS * (WIDTH + GAP_X), TOP + groups_count(rows, n) * (HEIGHT + GAP_Y));
    svg_text(to, LEFT, 18, "start", table->title);
    legend_put(to, table);
    double bottom = TOP + HEIGHT;
    for (size_t i = 0; i < n; bottom += HEIGHT + GAP_Y) {
        size_t end = group_end(rows, n, i);
        struct group group = {table, &rows[i], end - i};
        panel_put(to, &group, unit, LEFT, bottom);
        if (other)
            panel_put(to, &group, unit_of(table->columns[other]), LEFT + WIDTH + GAP_X, bottom);
        i = end;
    }
    fputs("</svg>\n", to);
}
