#include "lab/draw/scatter.h"

#include "lab/draw/svg.h"

#include <math.h>
#include <string.h>

enum { LEFT = 70, TOP = 50, WIDTH = 800, HEIGHT = 420, BELOW = 50, POINTS_MOST = 2500 };
enum { CURVE_STEPS = 200, SERIES_MOST = 7 };

static const char *const colours[SERIES_MOST] = {"#3b7dd8", "#c44e52", "#55a868", "#8172b2",
                                                 "#dd8452", "#8c8c8c", "#222222"};

/* The axes, and names of the series in the order in which they come. */
struct panel {
    const struct lab_scatter *scatter;
    double x_least, x_most, y_most;
    const char *series[SERIES_MOST];
    size_t n_series;
};

static size_t series_of(struct panel *panel, const char *name)
{
    size_t i = 0;
    while (i < panel->n_series && strcmp(panel->series[i], name) != 0)
        i++;
    if (i == panel->n_series && i < SERIES_MOST)
        panel->series[panel->n_series++] = name;
    return i < SERIES_MOST ? i : SERIES_MOST - 1;
}

static struct panel panel_of(const struct lab_rows *rows)
{
    const struct lab_scatter *scatter = rows->table->scatter;
    struct panel panel = {.scatter = scatter, .x_least = scatter->by_magnitude ? INFINITY : 0};
    for (size_t i = 0; i < rows->points.n; i++) {
        const struct lab_point *point = &rows->points.at[i];
        series_of(&panel, point->series);
        panel.x_least = fmin(panel.x_least, point->x);
        panel.x_most = fmax(panel.x_most, point->x);
        panel.y_most = fmax(panel.y_most, point->y);
    }
    if (scatter->y_most > 0)
        panel.y_most = scatter->y_most;
    return panel;
}

static double panel_x(const struct panel *panel, double x)
{
    double far = panel->x_most - panel->x_least, at = x - panel->x_least;
    if (panel->scatter->by_magnitude) {
        far = log(panel->x_most / panel->x_least);
        at = log(x / panel->x_least);
    }
    return LEFT + (far > 0 ? WIDTH * at / far : 0);
}

static double panel_y(const struct panel *panel, double y)
{
    double share = panel->y_most > 0 ? fmin(y / panel->y_most, 1) : 0;
    return TOP + HEIGHT * (1 - share);
}

static void envelope_put(FILE *to, const struct panel *panel)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        fputs("<polyline fill=\"none\" stroke=\"#000\" points=\"", to);
        for (int i = 0; i <= CURVE_STEPS; i++) {
            double part = (double)i / CURVE_STEPS;
            double x = panel->x_least * pow(panel->x_most / panel->x_least, part);
            fprintf(to, "%.1f,%.1f ", panel_x(panel, x), panel_y(panel, 1 + sign / sqrt(x)));
        }
        fputs("\"/>\n", to);
    }
}

static void frame_put(FILE *to, const struct panel *panel, const struct lab_table *table,
                      size_t every)
{
    char text[64];
    fprintf(to, "<path d=\"M%d %dv%dh%d\" fill=\"none\" stroke=\"#000\"/>\n", LEFT, TOP, HEIGHT,
            WIDTH);
    svg_text(to, LEFT, 16, "start", table->title);
    svg_text(to, LEFT, TOP - 6, "start", panel->scatter->y);
    svg_text(to, LEFT + WIDTH / 2.0, TOP + HEIGHT + 34, "middle", panel->scatter->x);
    const double ends[2][2] = {{panel->x_least, 0}, {panel->x_most, panel->y_most}};
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%.3g", ends[i][0]);
        svg_text(to, panel_x(panel, ends[i][0]), TOP + HEIGHT + 16, "middle", text);
        snprintf(text, sizeof text, "%.3g", ends[i][1]);
        svg_text(to, LEFT - 4, panel_y(panel, ends[i][1]) + 4, "end", text);
    }
    if (every > 1) {
        snprintf(text, sizeof text, "every %zuth point", every);
        svg_text(to, LEFT + WIDTH, TOP + HEIGHT + 34, "end", text);
    }
    for (size_t i = 0; i < panel->n_series; i++) {
        fprintf(to, "<g fill=\"%s\">", colours[i]);
        svg_text(to, LEFT + 200 + 150 * (double)i, TOP - 6, "start", panel->series[i]);
        fputs("</g>\n", to);
    }
}

void lab_scatter(FILE *to, const struct lab_rows *rows)
{
    struct panel panel = panel_of(rows);
    size_t every = 1 + rows->points.n / POINTS_MOST;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            LEFT + WIDTH + 30, TOP + HEIGHT + BELOW);
    frame_put(to, &panel, rows->table, every);
    for (size_t i = 0; i < rows->points.n; i += every) {
        const struct lab_point *point = &rows->points.at[i];
        fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\" fill=\"%s\"/>\n",
                panel_x(&panel, point->x), panel_y(&panel, point->y),
                colours[series_of(&panel, point->series)]);
    }
    if (panel.scatter->envelope && rows->points.n)
        envelope_put(to, &panel);
    fputs("</svg>\n", to);
}
