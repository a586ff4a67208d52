#include "analysis/counts/labels.h"

#include "program/names/brief.h"
#include "text/clean.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *weight_name(enum weight weight)
{
    return weight == WEIGHT_TIME ? "time" : "count";
}

const char *address_text(struct scene *scene, uint32_t module, uint64_t at)
{
    const char *name = module < scene->modules.n ? scene->modules.at[module].name : "[unknown]";
    return arena_format(&scene->arena, "%s+0x%" PRIx64, name, at);
}

bool address_parse(const char *text, size_t *ret_module_bytes, uint64_t *ret_at)
{
    const char *plus = NULL;
    for (const char *at = text; (at = strstr(at, "+0x")); at++)
        plus = at;
    char *end;
    if (!plus || plus == text)
        return false;
    *ret_at = strtoull(plus + 1, &end, 16);
    *ret_module_bytes = (size_t)(plus - text);
    return *end == 0;
}

enum { WIDTH = 60 }; /* of names */

bool names_narrow(struct scene *scene, int table_width)
{
    enum { STEP = 4, WIDTH_MIN = 16 };
    int width = scene->name_width ? scene->name_width : WIDTH;
    if (!scene->columns || scene->verbose || table_width <= scene->columns || width <= WIDTH_MIN)
        return false;
    scene->name_width = width - STEP;
    return true;
}

const char *name_text(struct scene *scene, const char *linkage)
{
    char brief[512];
    const char *readable = scene_readable(scene, linkage);
    if (!scene->verbose) {
        name_brief(readable, brief, sizeof brief,
                   scene->name_width ? (size_t)scene->name_width : WIDTH);
        readable = strcmp(brief, readable) ? arena_string(&scene->arena, brief) : readable;
    }
    return text_clean(&scene->arena, readable);
}

const char *line_text(struct scene *scene, uint32_t module, uint64_t at)
{
    const char *file;
    uint32_t line;
    struct binary *binary = scene_binary(scene, module);
    if (!binary || !lines_find(binary_lines(binary), (struct svma){at}, &file, &line))
        return "";
    const char *slash = strrchr(file, '/');
    return arena_format(&scene->arena, "%s:%u", slash ? slash + 1 : file, line);
}

const char *count_text(double value, bool exact)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    static char buffers[4][32];
    static unsigned turn;
    char *text = buffers[turn++ % 4];
    const char *sign = value < 0 ? "-" : "";
    size_t unit = 0;
    if (exact || fabs(value) < 1000) {
        snprintf(text, sizeof *buffers, "%.0f", value);
        return text;
    }
    value = fabs(value);
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    snprintf(text, sizeof *buffers, "%s%.*f%s", sign,
             value < 9.995   ? 2
             : value < 99.95 ? 1
                             : 0,
             value, units[unit]);
    return text;
}

const char *number_text(uint64_t n, const char *one, const char *many)
{
    static char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " %s", n, n == 1 ? one : many);
    return text;
}
