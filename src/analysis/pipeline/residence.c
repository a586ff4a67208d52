#include "analysis/pipeline/residence.h"

#include "model/core/core.h"
#include "profile/windows.h"

#include <math.h>

enum { USES_ENOUGH = 16 };

struct user_key {
    uint64_t module, at, instruction;
};

/* ---- what windows use */

struct use {
    uint64_t line;
    struct user_key by;
};

/* Calls for each line that the window uses, when it first does. */
static void uses_find(struct residence *residence, const struct windows *windows, size_t index,
                      void (*found)(struct residence *, const struct use *, void *), void *context)
{
    struct window_reader *reader = mem_alloc(sizeof *reader);
    const struct window_run *run;
    uint32_t stamp = (uint32_t)residence->windows + 1;
    window_open(reader, windows, index);
    while (window_read(reader, &run))
        for (uint32_t i = 0; i < reader->n; i++) {
            uint64_t line = reader->addresses[i] / residence->model->line_bytes;
            uint32_t at = map_add(&residence->keys, &line);
            if (at == residence->lines.n)
                *vec_push(&residence->lines) = (struct residence_line){0};
            if (residence->lines.at[at].stamp == stamp)
                continue;
            residence->lines.at[at].stamp = stamp;
            struct use use = {line, {run->module, run->at, reader->instructions[i]}};
            found(residence, &use, context);
        }
    residence->windows++;
    mem_free(reader);
}

static struct residence_user *user_of(struct residence *residence, const struct user_key *by)
{
    uint32_t at = map_add(&residence->places, by);
    if (at == residence->users.n)
        *vec_push(&residence->users) = (struct residence_user){0};
    return &residence->users.at[at];
}

static void use_count(struct residence *residence, const struct use *use, void *context)
{
    struct residence_user *user = user_of(residence, &use->by);
    struct residence_line *line = &residence->lines.at[map_find(&residence->keys, &use->line)];
    bool first = line->windows++ == 0;
    (void)context;
    user->uses++;
    user->lines += first;
    residence->all.uses++;
    residence->all.lines += first;
}

void residence_make(struct residence *residence, const struct windows *windows,
                    const struct model *model)
{
    *residence = (struct residence){.model = model};
    map_init(&residence->keys, sizeof(uint64_t));
    map_init(&residence->places, sizeof(struct user_key));
    for (size_t i = 0; i < windows->n; i++)
        if (windows->at[i].addressed) {
            uses_find(residence, windows, i, use_count, NULL);
            *vec_push(&residence->curve) = residence->all.lines;
        }
    for (size_t i = 0; i < residence->lines.n; i++)
        residence->lines.at[i].stamp = 0;
    residence->windows = 0;
}

void residence_release(struct residence *residence)
{
    map_release(&residence->keys);
    map_release(&residence->places);
    vec_release(&residence->lines);
    vec_release(&residence->users);
    vec_release(&residence->curve);
}

/* ---- where they were */

double residence_lines(const struct residence_user *user)
{
    double uses = (double)user->uses, lines = (double)user->lines;
    if (user->uses <= user->lines)
        return INFINITY;
    double low = lines,
           high = uses * uses + lines; /* more than any that could be told from endless */
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (middle * (1 - exp(-uses / middle)) < lines)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Different lines that so many windows use. */
static double lines_between(const struct residence *residence, double windows)
{
    const struct residence_curve *curve = &residence->curve;
    double each = (double)residence->all.uses / (double)curve->n;
    if (windows <= 1)
        return windows * each;
    if (windows <= (double)curve->n)
        return (double)curve->at[(size_t)windows - 1];
    size_t half = curve->n / 2;
    double slope = curve->n > 1 ? (double)(curve->at[curve->n - 1] - curve->at[half]) /
                                      (double)(curve->n - half)
                                : each;
    return (double)curve->at[curve->n - 1] + (windows - (double)curve->n) * slope;
}

/* In how many windows' time a line like this is used again. */
static double windows_between(struct residence *residence, const struct use *use)
{
    const struct residence_line *line =
        &residence->lines.at[map_find(&residence->keys, &use->line)];
    double all = (double)residence->curve.n;
    if (line->windows > 1)
        return all / line->windows;
    const struct residence_user *user = user_of(residence, &use->by);
    if (user->uses < USES_ENOUGH)
        user = &residence->all;
    return all * residence_lines(user) / (double)user->uses;
}

static void use_place(struct residence *residence, const struct use *use, void *context)
{
    const struct model *model = residence->model;
    double lines = lines_between(residence, windows_between(residence, use));
    double kib = lines * model->line_bytes / 1024;
    uint32_t level = kib <= model->l1d_kib  ? 1
                     : kib <= model->l2_kib ? 2
                     : kib <= model->l3_kib ? 3
                                            : 4;
    core_place(context, (struct avma){use->line * model->line_bytes}, level);
}

void residence_place(struct residence *residence, const struct windows *windows, size_t index,
                     struct core *core)
{
    if (windows->at[index].addressed)
        uses_find(residence, windows, index, use_place, core);
}
