#include "cmd/view/html.h"

#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/view/routes.h"
#include "serve/assets.h"
#include "serve/offline.h"
#include "serve/rows.h"
#include "serve/wanted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

/* A profile of ten seconds is to stay below 5 MB, which can be sent by mail. */
enum { FILE_MOST = 5000000, FRONT_END = 500000, RUNNING_MOST = 8, RANKS = 8 };

/* A question, and what became of it. */
struct item {
    const struct wanted_line *line;
    struct question question;
    const char *key;
    struct answer answer;
    struct bytes packed;
    size_t rank, list;
};

struct items {
    VEC(struct item);
};

/* Rows about each of which something is asked: functions, windows. */
struct list {
    const char *what, *source, *field;
    size_t held;
    struct row_values values;
    bool full;
};

struct file {
    struct viewed *viewed;
    struct arena arena;
    struct wanted_list wanted;
    struct offline offline;
    struct {
        VEC(struct list);
    } lists;
    size_t bytes, most, one_most; /* that answers take; all of them may take; one may take */
};

/* ---- asking */

static bool is_of_two(const struct question *question)
{
    for (size_t i = 0; i < question->params_n; i++)
        if (strcmp(question->params[i].name, "of") == 0)
            return true;
    return strcmp(question->route, "diff") == 0;
}

static void ask(struct file *file, struct items *items, const struct wanted_line *line,
                const char *value)
{
    struct item *item;
    if (is_of_two(&line->question) && file->viewed->n < 2)
        return;
    item = vec_push(items);
    item->line = line;
    item->question = wanted_question(&file->arena, line, value);
    item->key = question_key(&file->arena, &item->question);
}

/* Deflates the answer, or the reason why there is none. */
static void pack(struct item *item)
{
    struct answer *answer = &item->answer;
    char *text = NULL;
    size_t n = 0;
    if (answer->state == ANSWER_GOOD) {
        offline_pack(&item->packed, answer->text.at, answer->text.n);
        return;
    }
    FILE *to = open_memstream(&text, &n);
    ASSERT(to);
    error_json(to, answer_complaint(answer));
    fclose(to);
    offline_pack(&item->packed, text, n);
    free(text);
}

static size_t running_most(void)
{
    int processors = get_nprocs();
    return processors < 2 ? 1 : processors > RUNNING_MOST ? RUNNING_MOST : (size_t)processors;
}

/* Starts questions while few run. */
static void start_some(struct file *file, struct items *items, size_t *begun, size_t running)
{
    for (size_t most = running_most(); *begun < items->n && running < most; running++) {
        struct item *item = &items->at[(*begun)++];
        answer_start(&item->answer, route_answer, file->viewed, &item->question,
                     answer_limits_usual());
    }
}

/* Answers all, several at a time. */
static void answer_all(struct file *file, struct items *items)
{
    size_t begun = 0, running = 0;
    do {
        struct pollfd polls[2 * RUNNING_MOST];
        nfds_t n = 0;
        start_some(file, items, &begun, running);
        for (size_t i = 0; i < begun; i++)
            for (int f = 0; f < 2 && items->at[i].answer.state == ANSWER_RUNS; f++)
                polls[n++] = (struct pollfd){items->at[i].answer.fds[f], POLLIN, 0};
        if (n)
            poll(polls, n, 100);
        running = 0;
        for (size_t i = 0; i < begun; i++) {
            answer_poll(&items->at[i].answer);
            running += items->at[i].answer.state == ANSWER_RUNS;
        }
    } while (running || begun < items->n);
    for (size_t i = 0; i < items->n; i++)
        pack(&items->at[i]);
}

/* ---- the file */

static void note(struct file *file, char *text)
{
    *vec_push(&file->offline.notes) = text;
}

static bool has_room(const struct file *file, size_t bytes)
{
    return file->bytes + bytes <= file->most;
}

static void keep(struct file *file, struct item *item)
{
    file->bytes += item->packed.n;
    *vec_push(&file->offline.answers) = (struct offline_answer){item->key, item->packed};
    item->packed = (struct bytes){0};
}

static void items_release(struct items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        answer_release(&items->at[i].answer);
        vec_release(&items->at[i].packed);
    }
    vec_release(items);
}

/* A smaller answer in place of one that is too large. */
static void keep_smaller(struct file *file, const struct item *large)
{
    struct items one = {0};
    struct item *item = vec_push(&one);
    item->question = large->line->smaller;
    if (item->question.route) {
        item->key = large->key;
        answer_all(file, &one);
    }
    const char *asked = item->question.route ? question_key(&file->arena, &item->question) : "";
    if (item->key && item->packed.n <= file->one_most && has_room(file, item->packed.n)) {
        keep(file, item);
        note(file, arena_format(&file->arena,
                                "%s would take %zu KB: this file has %s instead. gait export "
                                "--format html --size MB has room for more; gait view shows "
                                "everything.",
                                large->key, large->packed.n / 1000, asked));
    } else {
        note(file, arena_format(&file->arena,
                                "%s would take %zu KB: it is not in this file. gait export "
                                "--format html --size MB has room for it; gait view shows it.",
                                large->key, large->packed.n / 1000));
    }
    items_release(&one);
}

static void list_fill(struct file *file, struct list *list, const struct items *items)
{
    for (size_t i = 0; i < items->n; i++)
        if (strcmp(items->at[i].key, list->source) == 0 && items->at[i].answer.state == ANSWER_GOOD)
            rows_field(&list->values, &file->arena, (const char *)items->at[i].answer.text.at,
                       items->at[i].answer.text.n, list->field);
}

static size_t list_of(struct file *file, const struct wanted_line *line)
{
    for (size_t i = 0; i < file->lists.n; i++)
        if (strcmp(file->lists.at[i].source, line->source) == 0 &&
            strcmp(file->lists.at[i].field, line->field) == 0)
            return i;
    *vec_push(&file->lists) =
        (struct list){.what = line->what, .source = line->source, .field = line->field};
    return file->lists.n - 1;
}

/* What is asked once. */
static void take_single(struct file *file)
{
    struct items items = {0};
    for (size_t i = 0; i < file->wanted.n; i++)
        if (!file->wanted.at[i].what)
            ask(file, &items, &file->wanted.at[i], NULL);
        else
            list_of(file, &file->wanted.at[i]);
    answer_all(file, &items);
    for (size_t i = 0; i < file->lists.n; i++)
        list_fill(file, &file->lists.at[i], &items);
    for (size_t i = 0; i < items.n; i++) {
        if (items.at[i].packed.n <= file->one_most && has_room(file, items.at[i].packed.n))
            keep(file, &items.at[i]);
        else
            keep_smaller(file, &items.at[i]);
    }
    items_release(&items);
}

/* The questions about rows of some ranks; false: there are no more. */
static bool ask_ranks(struct file *file, struct items *items, size_t from)
{
    bool more = false;
    for (size_t rank = from; rank < from + RANKS; rank++)
        for (size_t i = 0; i < file->wanted.n; i++) {
            const struct wanted_line *line = &file->wanted.at[i];
            size_t n = line->what ? list_of(file, line) : 0;
            const struct list *list = line->what ? &file->lists.at[n] : NULL;
            if (!list || list->full || rank >= list->values.n || rank >= line->most)
                continue;
            size_t before = items->n;
            ask(file, items, line, list->values.at[rank]);
            if (items->n > before) {
                items->at[before].rank = rank;
                items->at[before].list = n;
            }
            more = true;
        }
    return more;
}

/* All answers about one row, or none of them. */
static void keep_row(struct file *file, struct items *items, struct list *list, size_t n,
                     size_t rank)
{
    size_t bytes = 0, good = 0;
    for (size_t i = 0; i < items->n; i++)
        if (items->at[i].list == n && items->at[i].rank == rank) {
            bytes += items->at[i].packed.n;
            good += items->at[i].answer.state == ANSWER_GOOD;
        }
    if (!bytes || list->full)
        return;
    if (bytes > file->one_most || !has_room(file, bytes)) {
        list->full = true;
        return;
    }
    for (size_t i = 0; good && i < items->n; i++)
        if (items->at[i].list == n && items->at[i].rank == rank)
            keep(file, &items->at[i]);
    list->held += good > 0;
}

/* How many of the rows it holds, and what to type for more: `what` is the option's name, too. */
static void note_rows(struct file *file, const struct wanted_line *line)
{
    const struct list *list = &file->lists.at[list_of(file, line)];
    size_t held = list->held < line->most ? list->held : line->most;
    if (held >= list->values.n)
        return;
    note(file, arena_format(
                   &file->arena,
                   "This file has %zu of %zu %s, the first of their list. gait export --format "
                   "html --%s N%s holds more; gait view shows all.",
                   held, list->values.n, line->what, line->what, list->full ? " --size MB" : ""));
}

/* What is asked for each row: first about the first rows of all lists. */
static void take_rows(struct file *file)
{
    for (size_t from = 0;; from += RANKS) {
        struct items items = {0};
        bool more = ask_ranks(file, &items, from);
        answer_all(file, &items);
        for (size_t rank = from; rank < from + RANKS; rank++)
            for (size_t n = 0; n < file->lists.n; n++)
                keep_row(file, &items, &file->lists.at[n], n, rank);
        items_release(&items);
        if (!more)
            break;
    }
    for (size_t i = 0; i < file->wanted.n; i++)
        if (file->wanted.at[i].what)
            note_rows(file, &file->wanted.at[i]);
}

/* More of what is asked for each row, if that was asked for. */
static void wanted_change(struct wanted_list *wanted, const struct html_options *options)
{
    const struct {
        const char *what;
        uint32_t n;
    } wishes[] = {{"functions", options->functions},
                  {"graphs", options->graphs},
                  {"windows", options->windows}};
    for (size_t i = 0; i < wanted->n; i++)
        for (size_t k = 0; wanted->at[i].what && k < sizeof wishes / sizeof *wishes; k++)
            if (wishes[k].n && strcmp(wanted->at[i].what, wishes[k].what) == 0)
                wanted->at[i].most = wishes[k].n;
}

void html_write(FILE *to, struct viewed *viewed, const struct html_options *options)
{
    struct file file = {.viewed = viewed};
    const struct asset *list = &asset_wanted;
    double size = options->size_mb > 0 ? options->size_mb * 1e6 : FILE_MOST;
    file.most = size > FRONT_END ? (size_t)size - FRONT_END : 0;
    file.one_most = file.most / 15 * 4;
    wanted_read(&file.wanted, &file.arena, list->begin, asset_bytes(list));
    wanted_change(&file.wanted, options);
    take_single(&file);
    take_rows(&file);
    for (size_t i = 0; i < file.offline.notes.n && !options->quiet; i++)
        say("%s", file.offline.notes.at[i]);
    offline_write(to, &file.offline);
    for (size_t i = 0; i < file.lists.n; i++)
        vec_release(&file.lists.at[i].values);
    vec_release(&file.lists);
    vec_release(&file.wanted);
    offline_release(&file.offline);
    arena_release(&file.arena);
}
