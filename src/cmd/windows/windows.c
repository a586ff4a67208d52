/* gait windows: what was recorded in single windows, instruction by instruction. */
#include "analysis/windows/lengths.h"
#include "analysis/windows/window_detail.h"
#include "base/err.h"
#include "cmd/cmd.h"
#include "cmd/options/view_options.h"
#include "view/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_ROWS = 20, OUTLINE_LINES = 40 };

enum sort { SORT_UNLIKE, SORT_TIME, SORT_INSTRUCTIONS, SORT_CALLS, SORT_DEPTH, SORT_CYCLES };

struct options {
    struct view_options view;
    const char *core; /* NULL: see analysis/pipeline/core_choice.h */
    uint32_t show, from, to;
    bool has_show, has_part;
    enum sort sort;
};

static bool take_show(void *to, const struct flag *flag, const char *value, struct err *err)
{
    ((struct options *)to)->has_show = true;
    return take_u32(to, flag, value, err);
}

static bool take_part(void *to, const struct flag *flag, const char *value, struct err *err)
{
    ((struct options *)to)->has_part = true;
    return take_u32(to, flag, value, err);
}

static const struct flag flags[] = {
    {"show", 0, "N", NULL, "one window: its calls and loops over its instructions",
     TAKE(show, struct options, show), .low = 1, .expected = "the number of a window, from 1 on"},
    {"from", 0, "N", NULL, "with --show: from this instruction on, counted from 0",
     TAKE(part, struct options, from), .expected = "a number of an instruction"},
    {"to", 0, "N", NULL, "with --show: up to this instruction", TAKE(part, struct options, to),
     .low = 1, .expected = "a number of an instruction"},
    VIEW_FUNCTION("how many instructions calls of this function take, over all windows"),
    {"sort", 0, "BY", "unlike, time, instructions, calls, depth or cycles",
     ": the order of the list (unlike: how unlike a window is to the others)",
     TAKE(word, struct options, sort)},
    {"core", 0, "NAME", NULL,
     "the model of cycles: a name (gait list cores), native or a file (the one most like the "
     "processor that recorded)",
     TAKE(text, struct options, core)},
    VIEW_TIME,
    VIEW_INPUT,
    VIEW_LIMIT("number of rows (20; of an outline 40; with --json all)"),
    VIEW_JSON("as JSON, schema gait/windows/1, gait/window/1 or gait/lengths/1"),
    VIEW_OUTPUT,
    {0},
};

static const struct command_line this_command = {
    .usage = "usage: gait windows [options] [FILE]\n"
             "       gait windows --show N [--from N] [--to N] [options] [FILE]\n"
             "       gait windows --function NAME [options] [FILE]\n\n"
             "Shows the windows of a recording (gait.data): stretches of some 16,000 instructions "
             "that were\nrecorded one by one. Lists them, the most unusual first; --show draws one "
             "as a timeline.\n",
    .flags = flags,
    .also = view_flags,
};

static bool parse(struct options *options, int argc, char **argv, struct err *err)
{
    if (!flags_parse(&this_command, options, argc, argv, err) ||
        !view_input(&options->view, argc, argv, err))
        return false;
    if (options->has_part && !options->has_show)
        return err_set(err, ERR_USAGE, "--from and --to are parts of a window: --show N");
    if (options->has_show && options->view.function)
        return err_set(err, ERR_USAGE, "--show is about one window, --function about all; choose");
    return true;
}

static const char *why_none(const struct profile *profile)
{
    if (profile_fact_find(profile, "compress"))
        return "no windows in it: --compress keeps what is frequent, not the order in which it "
               "ran; record without --compress";
    return profile->mode == PROFILE_SAMPLED
               ? "no complete windows in it; record a longer run"
               : "no windows in it: only sampled recordings keep them; record without --exact and "
                 "without --plain";
}

/* ---- the list */

struct ranked {
    double key;
    uint32_t row;
};

/* Large ones first; what is not known last; then by number. */
static int by_key(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->key) != isnan(y->key))
        return isnan(x->key) ? 1 : -1;
    if (x->key > y->key)
        return -1;
    return x->key < y->key ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

static double key_of(const struct window_row *row, enum sort sort)
{
    switch (sort) {
    case SORT_UNLIKE: return row->unlike;
    case SORT_TIME: return -(double)row->number;
    case SORT_INSTRUCTIONS: return row->instructions;
    case SORT_CALLS: return row->calls;
    case SORT_DEPTH: return row->levels;
    case SORT_CYCLES: return row->measures[MEASURE_CYCLES];
    }
    return NAN;
}

static void list_show(const struct options *options, struct window_list *list,
                      const struct ink *ink)
{
    struct ranked *ranked = mem_alloc((list->n + 1) * sizeof *ranked);
    uint32_t *order = mem_alloc((list->n + 1) * sizeof *order);
    const struct view_options *view = &options->view;
    struct window_choice choice = {order, 0};
    for (uint32_t i = 0; i < list->n; i++)
        if (!view->has_time || window_in_part(list, list->at[i].index, view->from_s, view->to_s))
            ranked[choice.n++] = (struct ranked){key_of(&list->at[i], options->sort), i};
    qsort(ranked, choice.n, sizeof *ranked, by_key);
    for (size_t i = 0; i < choice.n; i++)
        order[i] = ranked[i].row;
    size_t rows = view_rows(&options->view, LIST_ROWS);
    if (options->view.json)
        window_list_json(stdout, list, choice, rows);
    else
        window_list_text(stdout, list, ink, choice, rows);
    mem_free(order);
    mem_free(ranked);
}

/* ---- all three */

static int show_one(const struct options *options, struct window_list *list)
{
    struct window_detail detail;
    struct err err;
    if (!window_detail_make(&detail, list, options->show, options->from, options->to, &err))
        return say_err(&err);
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        window_json(stdout, &detail);
    else
        window_text(stdout, &detail, &ink, view_rows(&options->view, OUTLINE_LINES));
    window_detail_release(&detail);
    return output_status();
}

static int show_lengths(const struct options *options, struct window_list *list)
{
    struct call_lengths lengths;
    struct err err;
    struct lengths_wanted wanted = {options->view.function, options->view.from_s,
                                    options->view.to_s};
    if (!call_lengths_make(&lengths, list, wanted, &err))
        return say_err(&err);
    struct ink ink = output_begin(&options->view);
    if (options->view.json)
        call_lengths_json(stdout, list, &lengths);
    else
        call_lengths_text(stdout, list, &lengths, &ink);
    call_lengths_release(&lengths);
    return output_status();
}

static int show_list(const struct options *options, struct window_list *list)
{
    window_list_make(list);
    struct ink ink = output_begin(&options->view);
    list_show(options, list, &ink);
    return output_status();
}

static int show(const struct options *options, const struct profile *profile)
{
    struct err err;
    struct scene scene;
    struct window_list list;
    if (!window_list_has(profile)) {
        err_set(&err, ERR_FORMAT, "%s: %s", options->view.input, why_none(profile));
        return say_err(&err);
    }
    scene_open(&scene, &profile, 1, NULL);
    scene.verbose = options->view.verbose;
    scene.columns = output_columns();
    if (!window_list_open(&list, &scene, options->core, &err)) {
        scene_close(&scene);
        return say_err(&err);
    }
    if (options->view.has_time && !options->has_show && !list.clock.started) {
        err_set(&err, ERR_FORMAT,
                "%s: it does not say when windows were recorded, as it is old or was merged; "
                "without --time it shows all",
                options->view.input);
        window_list_close(&list);
        scene_close(&scene);
        return say_err(&err);
    }
    int status = options->has_show        ? show_one(options, &list)
                 : options->view.function ? show_lengths(options, &list)
                                          : show_list(options, &list);
    window_list_close(&list);
    scene_close(&scene);
    return status;
}

int cmd_windows(int argc, char **argv)
{
    struct options options = {0};
    struct err err;
    struct profile profile;
    if (!parse(&options, argc, argv, &err))
        return say_err(&err);
    int status = profile_load(options.view.input, options.view.quiet, &profile);
    if (status != EXIT_DONE)
        return status;
    status = show(&options, &profile);
    profile_release(&profile);
    return status;
}
