#include "cmd/top/top_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void top_view_init(struct top_view *view, uint64_t span_ns, bool measured, enum live_by by)
{
    live_init(&view->live, span_ns, measured);
    view->queries[0] = (struct live_query){.by = by, .module = LIVE_NONE, .function = LIVE_NONE};
}

void top_view_release(struct top_view *view)
{
    live_rows_release(&view->rows);
    live_release(&view->live);
}

static struct live_query *query_of(struct top_view *view)
{
    return &view->queries[view->level];
}

static bool same_row(const struct live_row *a, const struct live_row *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->function == b->function &&
           a->module_id == b->module_id;
}

/* The first row is a place; any other that was selected is meant itself, wherever it goes. */
void top_view_refresh(struct top_view *view)
{
    struct live_row before = {0};
    if (view->selected && view->selected < view->rows.n)
        before = view->rows.at[view->selected];
    live_rows_release(&view->rows);
    live_rows_make(&view->rows, &view->live, query_of(view));
    for (size_t i = 0; before.name && i < view->rows.n; i++)
        if (same_row(&view->rows.at[i], &before))
            view->selected = i;
    if (view->selected >= view->rows.n)
        view->selected = view->rows.n ? view->rows.n - 1 : 0;
}

/* ---- drawing */

static const char help[] = "gait top: what runs now, by samples of the last seconds\n"
                           "\n"
                           "  q       quit\n"
                           "  f       by function    p  by process\n"
                           "  t       by thread      m  by module\n"
                           "  up, down, page up, page down   select a row\n"
                           "  enter   open it: the functions of a process, thread or module, the\n"
                           "          callers of a function\n"
                           "  escape  back\n"
                           "  space   pause: these seconds stay\n"
                           "  h       this help\n"
                           "\n"
                           "self   share of the CPU time of what is shown, ± its 95 % interval\n"
                           "total  the same with all that the function called\n"
                           "CPU    100% is one CPU\n"
                           "share  of processes and threads it is exact: the kernel counts it\n"
                           "\n"
                           "any key goes back\n";

static size_t lines_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* What to type to see more of the selected row. */
static void command_text(FILE *to, const struct top_view *view)
{
    const struct live_query *query = &view->queries[view->level];
    if (view->selected >= view->rows.n)
        return;
    const struct live_row *row = &view->rows.at[view->selected];
    if (query->by == LIVE_PROCESS || query->by == LIVE_THREAD) {
        fprintf(to, "gait record -p %u --duration 10; gait report\n", row->pid);
        return;
    }
    if (row->function == LIVE_NONE || row->kernel ||
        view->live.code.functions.at[row->function].unnamed)
        return;
    if (query->pid)
        fprintf(to, "gait record -p %u --duration 10; gait annotate '%s'\n", query->pid, row->name);
    else
        fprintf(to, "gait record %s; gait annotate '%s'\n", view->about.record, row->name);
}

static void title_text(FILE *to, const struct top_view *view)
{
    fprintf(to, "by %s", live_by_name(view->queries[view->level].by));
    for (size_t i = 1; i <= view->level; i++)
        fprintf(to, " > %s", view->titles[i]);
    fprintf(to, "%s\n", view->paused ? "   PAUSED" : "");
}

static void rows_scroll(struct top_view *view, size_t room)
{
    if (view->selected < view->first)
        view->first = view->selected;
    if (view->selected >= view->first + room)
        view->first = view->selected - room + 1;
}

void top_view_draw(struct top_view *view)
{
    char *text = NULL;
    size_t bytes = 0;
    if (view->help) {
        screen_show(&view->screen, help, SIZE_MAX);
        return;
    }
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return;
    view->about.columns = view->screen.columns;
    live_head_text(to, &view->live, &view->about);
    title_text(to, view);
    fflush(to);
    size_t head = lines_of(text) + 1, foot = 2, all = (size_t)view->screen.rows;
    size_t room = all > head + foot + 1 ? all - head - foot : 1;
    rows_scroll(view, room);
    live_rows_text(to, &view->live, &view->rows, query_of(view), &view->about, view->first, room);
    if (!view->rows.n)
        fputs(view->live.slices.n ? "nothing ran\n" : "sampling ...\n", to);
    command_text(to, view);
    fputs("q quit  f p t m by  enter open  esc back  space pause  h help", to);
    fclose(to);
    screen_show(&view->screen, text, view->rows.n ? head + view->selected - view->first : SIZE_MAX);
    free(text);
}

/* ---- keys */

static void by_set(struct top_view *view, enum live_by by)
{
    view->level = 0;
    query_of(view)->by = by;
    view->selected = view->first = 0;
}

static void row_open(struct top_view *view)
{
    if (view->selected >= view->rows.n || view->level + 1 == TOP_LEVELS)
        return;
    const struct live_row *row = &view->rows.at[view->selected];
    struct live_query next = *query_of(view);
    switch (next.by) {
    case LIVE_PROCESS: next.pid = row->pid; break;
    case LIVE_THREAD: next.pid = row->pid, next.tid = row->tid; break;
    case LIVE_MODULE: next.module = row->module_id; break;
    case LIVE_FUNCTION:
    case LIVE_CALLER: next.function = row->function, next.module = LIVE_NONE; break;
    }
    next.by = next.by == LIVE_FUNCTION || next.by == LIVE_CALLER ? LIVE_CALLER : LIVE_FUNCTION;
    view->level++;
    *query_of(view) = next;
    snprintf(view->titles[view->level], sizeof view->titles[0], "%s", row->name ? row->name : "");
    view->selected = view->first = 0;
}

static void select_by(struct top_view *view, long steps)
{
    long to = (long)view->selected + steps, last = (long)view->rows.n - 1;
    view->selected = (size_t)(to < 0 || last < 0 ? 0 : to > last ? last : to);
}

bool top_view_key(struct top_view *view, int key)
{
    long page = view->screen.rows > 8 ? view->screen.rows - 8 : 1;
    if (view->help) {
        view->help = false;
        return key != 'q';
    }
    switch (key) {
    case 'q':
    case KEY_END: return false;
    case 'h':
    case '?': view->help = true; break;
    case ' ': view->paused = !view->paused; break;
    case 'f': by_set(view, LIVE_FUNCTION); break;
    case 'p': by_set(view, LIVE_PROCESS); break;
    case 't': by_set(view, LIVE_THREAD); break;
    case 'm': by_set(view, LIVE_MODULE); break;
    case 'k':
    case KEY_UP: select_by(view, -1); break;
    case 'j':
    case KEY_DOWN: select_by(view, 1); break;
    case KEY_PAGE_UP: select_by(view, -page); break;
    case KEY_PAGE_DOWN: select_by(view, page); break;
    case KEY_RIGHT:
    case KEY_ENTER: row_open(view); break;
    case KEY_LEFT:
    case KEY_BACK:
        if (view->level)
            view->level--;
        view->selected = view->first = 0;
        break;
    default: break;
    }
    top_view_refresh(view);
    return true;
}
