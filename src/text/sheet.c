#include "text/sheet.h"

#include "base/err.h"

#include <stdarg.h>
#include <string.h>

void sheet_begin(struct sheet *sheet, const char *align, const struct ink *ink)
{
    *sheet = (struct sheet){.align = align};
    if (ink)
        sheet->ink = *ink;
}

void sheet_change(struct sheet *sheet, double points)
{
    bool none = points > -0.005 && points < 0.005;
    sheet_cell(sheet, none ? "%.2f %%" : "%+.2f %%", none ? 0 : points);
}

void sheet_tone(struct sheet *sheet, enum ink_tone tone)
{
    sheet->cells.at[sheet->cells.n - 1].tone = tone;
}

void sheet_cell(struct sheet *sheet, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    va_end(args);
    char *text = arena_alloc(&sheet->arena, bytes);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    /* Names come from files: what could steer a terminal is not sent to it. */
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            *at = '?';
    *vec_push(&sheet->cells) = (struct sheet_cell){text, INK_PLAIN};
}

/* Columns on screen: characters, not bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += (*text & 0xC0) != 0x80;
    return width;
}

/* Of each column; the caller frees them. */
static int *widths_of(const struct sheet *sheet, size_t columns)
{
    int *widths = mem_alloc(columns * sizeof *widths);
    ASSERT(columns && sheet->cells.n % columns == 0);
    for (size_t i = 0; i < sheet->cells.n; i++) {
        int width = width_of(sheet->cells.at[i].text);
        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    return widths;
}

static bool is_hidden(const struct sheet *sheet, size_t column)
{
    return column < 64 && sheet->hidden >> column & 1;
}

void sheet_hide(struct sheet *sheet, size_t column)
{
    ASSERT(column < 64);
    sheet->hidden |= UINT64_C(1) << column;
}

int sheet_width(const struct sheet *sheet)
{
    size_t columns = strlen(sheet->align);
    int *widths = widths_of(sheet, columns), sum = -2;
    for (size_t i = 0; i < columns; i++)
        if (!is_hidden(sheet, i))
            sum += widths[i] + 2;
    mem_free(widths);
    return sum;
}

/* From that character on. */
static const char *text_from(const char *text, int characters)
{
    for (; *text && (characters > 0 || (*text & 0xC0) == 0x80); text++)
        characters -= (*text & 0xC0) != 0x80;
    return text;
}

static const char dots[] = "...";

/* Of a path the file says most, and of MODULE+0xADDRESS the address. */
static bool ends_matter(const char *text)
{
    return strchr(text, '/') || strstr(text, "+0x") || strncmp(text, dots, strlen(dots)) == 0;
}

static const char *text_cut(struct sheet *sheet, const char *text, int width)
{
    int keep = width - (int)strlen(dots), all = width_of(text);
    size_t room = strlen(text) + sizeof dots;
    char *cut = arena_alloc(&sheet->arena, room);
    if (ends_matter(text))
        snprintf(cut, room, "%s%s", dots, text_from(text, all - keep));
    else
        snprintf(cut, room, "%.*s%s", (int)(text_from(text, keep) - text), text, dots);
    return cut;
}

void sheet_squeeze(struct sheet *sheet, int width)
{
    enum { WIDTH_MIN = 12 };
    size_t columns = strlen(sheet->align);
    for (int over; (over = sheet_width(sheet) - width) > 0;) {
        int *widths = widths_of(sheet, columns), next = WIDTH_MIN;
        size_t widest = columns;
        for (size_t c = 0; c < columns; c++)
            if (sheet->align[c] == 'l' && !is_hidden(sheet, c) && widths[c] > WIDTH_MIN &&
                (widest == columns || widths[c] > widths[widest]))
                widest = c;
        for (size_t c = 0; c < columns && widest < columns; c++)
            if (c != widest && sheet->align[c] == 'l' && !is_hidden(sheet, c) && widths[c] > next)
                next = widths[c];
        int most = widest == columns ? 0 : widths[widest];
        mem_free(widths);
        if (!most)
            return;
        int down = most - next > 1 ? most - next : 1;
        int target = most - (down < over ? down : over);
        for (size_t i = widest; i < sheet->cells.n; i += columns)
            if (width_of(sheet->cells.at[i].text) > target)
                sheet->cells.at[i].text = text_cut(sheet, sheet->cells.at[i].text, target);
    }
}

void sheet_clear(struct sheet *sheet)
{
    arena_release(&sheet->arena);
    sheet->cells.n = 0;
}

void sheet_end(struct sheet *sheet, FILE *to)
{
    size_t columns = strlen(sheet->align), first = 0, past = columns;
    int *widths = widths_of(sheet, columns);
    while (first < columns && is_hidden(sheet, first))
        first++;
    while (past > first && is_hidden(sheet, past - 1))
        past--;
    for (size_t i = 0; i < sheet->cells.n; i++) {
        const char *text = sheet->cells.at[i].text;
        const char *begin = ink_begin(&sheet->ink, sheet->cells.at[i].tone);
        const char *end = ink_end(&sheet->ink, sheet->cells.at[i].tone);
        size_t column = i % columns;
        int pad = widths[column] - width_of(text);
        bool last = column + 1 == past;
        if (is_hidden(sheet, column))
            continue;
        fputs(column > first ? "  " : "", to);
        if (sheet->align[column] == 'r')
            fprintf(to, "%*s%s%s%s", pad, "", begin, text, end);
        else
            fprintf(to, "%s%s%s%*s", begin, text, end, last ? 0 : pad, "");
        if (last)
            fputc('\n', to);
    }
    mem_free(widths);
    vec_release(&sheet->cells);
    arena_release(&sheet->arena);
}
