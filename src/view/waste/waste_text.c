#include "view/views.h"

#include "analysis/waste/waste_view.h"
#include "analysis/waste/waste_words.h"

#include "text/ink.h"
#include "view/head.h"
#include "view/place_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 9 };

/* What of a text fits on the rest of a line, unless everything was asked for. */
static const char *fitting(const struct place_text *text, const char *code, size_t room)
{
    size_t n = strlen(code);
    if (text->scene->verbose || n <= room)
        return code;
    for (n = room > 3 ? room - 3 : 0; n && ((unsigned char)code[n] & 0xC0) == 0x80;)
        n--; /* the middle of a letter */
    return arena_format(&text->scene->arena, "%.*s...", (int)n, code);
}

static const char *function_of(struct scene *scene, const struct waste_place *place)
{
    return name_text(scene,
                     scene_function_name(scene, place->module,
                                         scene_function_at(scene, place->module, place->at)));
}

/* Words, broken into lines. */
static void words_print(FILE *to, const char *words, size_t indent)
{
    size_t column = indent;
    fprintf(to, "%*s", (int)indent, "");
    while (*words) {
        size_t n = strcspn(words, " ");
        if (column > indent && column + n + 1 > WIDTH) {
            fprintf(to, "\n%*s", (int)indent, "");
            column = indent;
        }
        column += (size_t)fprintf(to, "%s%.*s", column > indent ? " " : "", (int)n, words);
        words += n;
        words += strspn(words, " ");
    }
    fputc('\n', to);
}

static void place_print(FILE *to, struct place_text *text, const char *what,
                        const struct waste_place *place, const struct waste_place *caller,
                        const struct ink *ink)
{
    struct scene *scene = text->scene;
    const char *address = address_text(scene, place->module, place->at),
               *line = line_text(scene, place->module, place->at),
               *source = place_source(text, place->module, place->at);
    size_t taken = INDENT + strlen(address) + strlen(line) + 4;
    fprintf(to, "  %-6s %s%s%s  %s%s%s\n", what, ink_begin(ink, INK_NAME),
            fitting(text, function_of(scene, place), taken + 8 < WIDTH ? WIDTH - taken : 8),
            ink_end(ink, INK_NAME), line, *line ? "  " : "", address);
    if (!*source)
        source = place_assembly(text, place->module, place->at);
    if (*source)
        fprintf(to, "%*s%s%s%s\n", INDENT, "", ink_begin(ink, INK_SOURCE),
                fitting(text, source, WIDTH - INDENT), ink_end(ink, INK_SOURCE));
    if (caller->module != MODULE_NONE) {
        const char *from =
            arena_format(&scene->arena, "called by %s  %s", function_of(scene, caller),
                         line_text(scene, caller->module, caller->at));
        fprintf(to, "%*s%s\n", INDENT, "", fitting(text, from, WIDTH - INDENT));
    }
}

static void cost_print(FILE *to, const struct waste_view *view, const struct waste_row *row)
{
    bool exact = view->scene->sides[0]->mode == PROFILE_EXACT, timed = !isnan(row->rate.value);
    double times = timed ? row->rate.value : row->count.value;
    const char *rate = timed ? " a second" : "";
    fprintf(to, "%*s", INDENT, "");
    if (row->kind == WASTE_SAME_CALL)
        fprintf(to, "%s calls, %s instructions%s", count_text(times, exact && !timed),
                count_text(times * row->each, false), rate);
    else
        fprintf(to, "%s instructions and %s bytes%s", count_text(times, exact && !timed),
                count_text(timed ? row->bytes_rate.value : row->bytes.value, exact && !timed),
                rate);
    if (!isnan(row->of.value))
        fprintf(to, "; %.0f%% of its executions", 100 * row->of.value);
    fprintf(to, "\n%*smostly ", INDENT, "");
    if (row->within == UINT64_MAX)
        fprintf(to, "more than 65536 instructions apart\n");
    else
        fprintf(to, "up to %" PRIu64 " instructions apart\n", row->within);
}

static void row_print(FILE *to, const struct waste_view *view, struct place_text *text,
                      const struct waste_row *row, const struct ink *ink)
{
    bool exact = view->scene->sides[0]->mode == PROFILE_EXACT;
    fprintf(to, "%s%6.2f%%%s  ", ink_begin(ink, INK_HEAD), 100 * row->share.value,
            ink_end(ink, INK_HEAD));
    if (!exact && isnan(row->share.lo))
        fprintf(to, "(?)  ");
    else if (!exact)
        fprintf(to, "(%.2f to %.2f)  ", 100 * row->share.lo, 100 * row->share.hi);
    fprintf(to, "%s\n", waste_kind_name(row->kind));
    words_print(to, waste_kind_text(row->kind), INDENT);
    cost_print(to, view, row);
    place_print(to, text, "first", &row->first, &row->first_caller, ink);
    place_print(to, text, "second", &row->second, &row->second_caller, ink);
    words_print(to, arena_format(&view->scene->arena, "-> %s", waste_kind_fix(row->kind)), INDENT);
}

void waste_view_text(FILE *to, const struct waste_view *view, const struct ink *ink, size_t limit)
{
    size_t shown = 0;
    struct place_text text;
    place_text_begin(&text, view->scene);
    head_text(to, view->scene, 0);
    fprintf(to, "work that had no effect, of all executed instructions\n\n");
    for (; shown < view->n && shown < limit; shown++)
        row_print(to, view, &text, &view->at[shown], ink);
    if (!view->n)
        fprintf(to, "no work without effect was found\n");
    shown_text(to, shown, view->n, "findings");
    losses_text(to, view->scene, 0, 0);
    place_text_end(&text);
}
