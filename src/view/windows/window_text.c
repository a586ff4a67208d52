#include "view/views.h"

#include "analysis/windows/window_fold.h"
#include "text/clean.h"
#include "text/ink.h"
#include "view/head.h"
#include "view/place_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    CHART_WIDTH = 72,
    CHART_LEVELS = 12,        /* lines of the chart of depths, at most */
    INSTRUCTIONS_SHOWN = 256, /* a part as small as this is shown instruction by instruction */
};

struct showing {
    FILE *to;
    struct window_detail *detail;
    const struct ink *ink;
    struct place_text text;
};

/* ---- charts over instructions */

static uint32_t column_from(const struct window_detail *detail, uint32_t column, uint32_t columns)
{
    return detail->from + (uint32_t)((uint64_t)(detail->to - detail->from) * column / columns);
}

static int32_t column_depth(const struct window_detail *detail, uint32_t column, uint32_t columns)
{
    uint32_t end = column_from(detail, column + 1, columns);
    int32_t most = 0;
    for (uint32_t i = column_from(detail, column, columns); i < end; i++)
        most = detail->tree.depths.at[i] > most ? detail->tree.depths.at[i] : most;
    return most;
}

/* A line for each level, or for several if there are many; the deepest at the top. */
static void depths_print(struct showing *showing, uint32_t columns)
{
    const struct window_detail *detail = showing->detail;
    uint32_t levels = 1;
    for (uint32_t i = detail->from; i < detail->to; i++)
        if ((uint32_t)detail->tree.depths.at[i] + 1 > levels)
            levels = (uint32_t)detail->tree.depths.at[i] + 1;
    uint32_t each = (levels + CHART_LEVELS - 1) / CHART_LEVELS;
    uint32_t lines = (levels + each - 1) / each;
    for (uint32_t line = lines; line--;) {
        fprintf(showing->to, "%9u │", line * each);
        for (uint32_t column = 0; column < columns; column++) {
            int32_t depth = column_depth(detail, column, columns);
            fputs(depth >= (int32_t)(line * each) ? "█" : " ", showing->to);
        }
        fputs(line == lines - 1 ? "│ levels of calls\n" : "│\n", showing->to);
    }
}

static void cycles_print(struct showing *showing, uint32_t columns)
{
    static const char *const bars[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const struct window_detail *detail = showing->detail;
    double most = 0;
    for (int print = 0; print < 2; print++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t from = column_from(detail, column, columns);
            uint32_t to = column_from(detail, column + 1, columns);
            double each = (double)window_detail_cycles(detail, from, to) / (to - from);
            most = each > most ? each : most;
            if (print)
                fputs(bars[most > 0 ? (int)ceil(8 * each / most) : 0], showing->to);
        }
        if (!print)
            fprintf(showing->to, "   cycles │");
    }
    fprintf(showing->to, "│ modelled cycles an instruction, up to %.2f\n", most);
}

static void charts_print(struct showing *showing)
{
    const struct window_detail *detail = showing->detail;
    uint32_t n = detail->to - detail->from, columns = n < CHART_WIDTH ? n : CHART_WIDTH;
    if (!n)
        return;
    depths_print(showing, columns);
    if (detail->modelled)
        cycles_print(showing, columns);
    fprintf(showing->to, "%9s  %-*u%u\n\n", "from", (int)columns > 12 ? (int)columns - 2 : 10,
            detail->from, detail->to);
}

/* ---- the outline */

static void scope_name_print(struct showing *showing, const struct window_scope *scope)
{
    struct window_list *list = showing->detail->list;
    struct scene *scene = list->scene;
    const struct window_function *function = &list->code.functions.at[scope->function];
    if (scope->kind == SCOPE_LOOP) {
        uint64_t head = list->code.loops.at[scope->loop].head;
        const char *line = line_text(scene, function->module, head);
        fprintf(showing->to, "loop at %s",
                *line ? line : address_text(scene, function->module, head));
        return;
    }
    fprintf(showing->to, "%s%s%s", ink_begin(showing->ink, INK_NAME),
            name_text(scene, function->linkage), ink_end(showing->ink, INK_NAME));
}

static void line_print(struct showing *showing, const struct fold_line *line)
{
    const struct window_detail *detail = showing->detail;
    const struct window_scope *scope = &detail->tree.at[line->sample];
    double share = (double)line->instructions / (detail->to - detail->from);
    enum ink_tone tone = ink_of_share(share);
    fprintf(showing->to, "%9u %s%12" PRIu64 "%s", line->from, ink_begin(showing->ink, tone),
            line->instructions, ink_end(showing->ink, tone));
    if (detail->modelled)
        fprintf(showing->to, " %9" PRIu64 " %6.2f", line->cycles,
                (double)line->cycles / (double)line->instructions);
    fprintf(showing->to, "  %*s", (int)(2 * line->level), "");
    scope_name_print(showing, scope);
    if (scope->kind == SCOPE_LOOP && line->runs > 1)
        fprintf(showing->to, "  ×%" PRIu64 " in %u runs", line->iterations, line->runs);
    else if (scope->kind == SCOPE_LOOP)
        fprintf(showing->to, "  ×%" PRIu64, line->iterations);
    else if (line->runs > 1)
        fprintf(showing->to, "  ×%u", line->runs);
    if (line->runs == 1 && (line->before || line->after))
        fprintf(showing->to, "  (%s)",
                line->before && line->after ? "begun before, goes on"
                : line->before              ? "begun before"
                                            : "goes on");
    fputc('\n', showing->to);
}

static int by_instructions(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* The lines with most instructions: a line has at least as many as any below it. */
static void outline_print(struct showing *showing, size_t limit)
{
    struct window_fold fold;
    window_fold_make(&fold, showing->detail);
    uint64_t *sizes = mem_alloc((fold.n + 1) * sizeof *sizes);
    size_t equal = 0, shown = 0; /* lines as small as the smallest that is shown */
    for (size_t i = 0; i < fold.n; i++)
        sizes[i] = fold.at[i].instructions;
    qsort(sizes, fold.n, sizeof *sizes, by_instructions);
    size_t n = fold.n < limit ? fold.n : limit;
    uint64_t least = n ? sizes[n - 1] : 0;
    for (size_t i = n; i-- && sizes[i] == least;)
        equal++;
    fprintf(showing->to, "%s%9s %12s%s  what%s\n", ink_begin(showing->ink, INK_HEAD), "from",
            "instructions", showing->detail->modelled ? "    cycles  /insn" : "",
            ink_end(showing->ink, INK_HEAD));
    for (size_t i = 0; i < fold.n && n; i++) {
        bool take = fold.at[i].instructions > least;
        if (fold.at[i].instructions == least && equal) {
            take = true;
            equal--;
        }
        if (take) {
            line_print(showing, &fold.at[i]);
            shown++;
        }
    }
    if (shown < fold.n)
        fprintf(showing->to,
                "... and %zu smaller; --limit N shows N, --from and --to show a part\n",
                fold.n - shown);
    mem_free(sizes);
    window_fold_release(&fold);
}

/* ---- instructions */

static void instruction_print(struct showing *showing, uint32_t at)
{
    const struct window_detail *detail = showing->detail;
    struct scene *scene = detail->list->scene;
    const struct window_insn *insn = &detail->tree.code->insns.at[detail->tree.steps.at[at]];
    const struct window_function *function = &detail->list->code.functions.at[insn->function];
    const char *assembly = insn->kind == CODE_OPAQUE
                               ? "(code that cannot be read)"
                               : place_assembly(&showing->text, insn->module, insn->at);
    fprintf(showing->to, "%9u", at);
    if (detail->modelled)
        fprintf(showing->to, " %9" PRIu64, detail->cycles[at + 1]);
    const char *line = line_text(scene, insn->module, insn->at);
    fprintf(showing->to, " %5d  %-20s %s%-36s%s  %s+0x%" PRIx64 "%s%s\n",
            detail->tree.depths.at[at], address_text(scene, insn->module, insn->at),
            ink_begin(showing->ink, INK_SOURCE), assembly, ink_end(showing->ink, INK_SOURCE),
            name_text(scene, function->linkage), insn->at - function->start, *line ? "  " : "",
            line);
}

static void instructions_print(struct showing *showing)
{
    const struct window_detail *detail = showing->detail;
    if (detail->to - detail->from > INSTRUCTIONS_SHOWN) {
        fprintf(showing->to,
                "\na part of %d instructions or fewer is shown one by one: --from %u "
                "--to %u\n",
                INSTRUCTIONS_SHOWN, detail->from, detail->from + INSTRUCTIONS_SHOWN);
        return;
    }
    fprintf(showing->to, "\n%s%9s%s %5s  %-20s %-36s  place%s\n", ink_begin(showing->ink, INK_HEAD),
            "at", detail->modelled ? "   retires" : "", "level", "address", "instruction",
            ink_end(showing->ink, INK_HEAD));
    for (uint32_t i = detail->from; i < detail->to; i++)
        instruction_print(showing, i);
}

/* ---- all of it */

static void head_print(struct showing *showing)
{
    const struct window_detail *detail = showing->detail;
    const struct window_tree *tree = &detail->tree;
    const struct window_list *list = detail->list;
    FILE *to = showing->to;
    uint32_t tid;
    const char *thread = window_thread(list, detail->index, &tid);
    double time = window_time(list, detail->index);
    fprintf(to, "window %u of %zu: thread %s%s%u", detail->number, list->order.n,
            text_clean(&list->scene->arena, thread), *thread ? " " : "", tid);
    if (!isnan(time))
        fprintf(to, ", %.3f s after the %s", time, window_since(list));
    fprintf(to, "; %zu instructions, %u calls, %u levels\n", tree->steps.n, tree->calls,
            tree->levels);
    if (detail->modelled)
        fprintf(to, "cycles are modelled: %s; the first %u instructions only warm the core up\n",
                *list->core_why ? list->core_why : list->model.name, detail->warming);
    else
        fputs("its instructions cannot be read, so no cycles are modelled\n", to);
    if (tree->breaks)
        fprintf(to, "%u times something else ran in between, such as a signal handler\n",
                tree->breaks);
    if (tree->opaque)
        fprintf(to, "%u instructions cannot be read: their file is not there, or a JIT made them\n",
                tree->opaque);
    if (tree->broken)
        fputs("what follows in the file makes no sense, and is not shown\n", to);
    fputc('\n', to);
}

void window_text(FILE *to, struct window_detail *detail, const struct ink *ink, size_t limit)
{
    struct showing showing = {.to = to, .detail = detail, .ink = ink};
    place_text_begin(&showing.text, detail->list->scene);
    head_text(to, detail->list->scene, 0);
    head_print(&showing);
    charts_print(&showing);
    outline_print(&showing, limit);
    instructions_print(&showing);
    losses_text(to, detail->list->scene, 0, 0);
    place_text_end(&showing.text);
}
