#include "analysis/pipeline/residence.h"

#include "model/core/core.h"
#include "profile/windows.h"

#include <math.h>

enum { USES_ENOUGH = 16 };

/* Lines of a piece, as a power of two. */
static const uint32_t scale_shifts[RESIDENCE_SCALES] = {0, 6, 10};

struct user_key {
    uint64_t module, at, instruction;
};

/* ---- what windows use */

struct use {
    uint64_t line;
    struct user_key by;
};

static struct residence_piece *piece_of(struct residence *residence, uint32_t scale,
                                        const uint64_t *key)
{
    struct residence_scale *pieces = &residence->scales[scale];
    uint32_t at = map_add(&pieces->keys, key);
    if (at == pieces->n)
        *vec_push(pieces) = (struct residence_piece){0};
    return &pieces->at[at];
}

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
            struct residence_piece *piece = piece_of(residence, 0, &line);
            if (piece->stamp == stamp)
                continue;
            piece->stamp = stamp;
            struct use use = {line, {run->module, run->at, reader->instructions[i]}};
            found(residence, &use, context);
        }
    residence->windows++;
    mem_free(reader);
}

static uint32_t user_of(struct residence *residence, const struct user_key *by)
{
    uint32_t at = map_add(&residence->places, by);
    if (at == residence->users.n)
        *vec_push(&residence->users) = (struct residence_user){0};
    return at;
}

static void use_count(struct residence *residence, const struct use *use, void *context)
{
    uint32_t user = user_of(residence, &use->by), stamp = (uint32_t)residence->windows + 1;
    struct residence_piece *line = piece_of(residence, 0, &use->line);
    (void)context;
    line->windows++;
    line->user = user;
    residence->uses++;
    for (uint32_t scale = 1; scale < RESIDENCE_SCALES; scale++) {
        uint64_t key[] = {use->line >> scale_shifts[scale], user};
        struct residence_piece *piece = piece_of(residence, scale, key);
        piece->windows += piece->stamp != stamp;
        piece->stamp = stamp;
        piece->user = user;
    }
}

static void seen_add(struct residence_seen *seen, uint32_t windows)
{
    seen->pieces++;
    if (windows <= RESIDENCE_RARE + 1)
        seen->times[windows - 1]++;
}

/* ---- how many there are, and how often they are used */

/* At least: pieces that are used more often than others hide none. */
static double pieces_of(const struct residence_seen *seen)
{
    double once = (double)seen->times[0], twice = (double)seen->times[1];
    return (double)seen->pieces + once * (once - 1) / (2 * (twice + 1));
}

double residence_lines(const struct residence_user *user)
{
    double lines = INFINITY, known = (double)user->seen[0].pieces;
    for (uint32_t scale = 0; scale < RESIDENCE_SCALES; scale++)
        lines = fmin(lines, ldexp(pieces_of(&user->seen[scale]), (int)scale_shifts[scale]));
    return fmax(lines, known);
}

static void user_expect(struct residence_user *user)
{
    const struct residence_seen *seen = &user->seen[0];
    double once = (double)seen->times[0], twice = (double)seen->times[1];
    double often = (double)seen->pieces - once - twice;
    double least = (once + 2 * twice) / fmax(residence_lines(user) - often, 1);
    for (uint32_t i = 0; i < RESIDENCE_RARE; i++) {
        double more = (i + 2) * (double)seen->times[i + 1] / fmax((double)seen->times[i], 1);
        if (i > 0) /* of those seen once it is in the number of lines */
            least = fmax(least, fmin(more, i + 1));
        user->expected[i] = least;
    }
}

static void users_expect(struct residence *residence)
{
    for (uint32_t scale = 0; scale < RESIDENCE_SCALES; scale++)
        for (size_t i = 0; i < residence->scales[scale].n; i++) {
            struct residence_piece *piece = &residence->scales[scale].at[i];
            seen_add(&residence->users.at[piece->user].seen[scale], piece->windows);
            seen_add(&residence->all.seen[scale], piece->windows);
            piece->stamp = 0;
        }
    for (size_t i = 0; i < residence->users.n; i++)
        user_expect(&residence->users.at[i]);
    user_expect(&residence->all);
}

void residence_make(struct residence *residence, const struct windows *windows,
                    const struct model *model)
{
    *residence = (struct residence){.model = model};
    for (uint32_t scale = 0; scale < RESIDENCE_SCALES; scale++)
        map_init(&residence->scales[scale].keys, (scale ? 2 : 1) * sizeof(uint64_t));
    map_init(&residence->places, sizeof(struct user_key));
    for (size_t i = 0; i < windows->n; i++)
        if (windows->at[i].addressed) {
            uses_find(residence, windows, i, use_count, NULL);
            *vec_push(&residence->curve) = residence->scales[0].n;
        }
    users_expect(residence);
    residence->windows = 0;
}

void residence_release(struct residence *residence)
{
    for (uint32_t scale = 0; scale < RESIDENCE_SCALES; scale++) {
        map_release(&residence->scales[scale].keys);
        vec_release(&residence->scales[scale]);
    }
    map_release(&residence->places);
    vec_release(&residence->users);
    vec_release(&residence->curve);
}

/* ---- where they were */

/* Different lines that so many windows use. */
static double lines_between(const struct residence *residence, double windows)
{
    const struct residence_curve *curve = &residence->curve;
    double each = (double)residence->uses / (double)curve->n;
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
    const struct residence_piece *line = piece_of(residence, 0, &use->line);
    double all = (double)residence->curve.n;
    if (line->windows > RESIDENCE_RARE)
        return all / line->windows;
    const struct residence_user *user = &residence->users.at[user_of(residence, &use->by)];
    if (user->seen[0].times[0] + user->seen[0].times[1] < USES_ENOUGH)
        user = &residence->all;
    double expected = user->expected[line->windows - 1];
    return expected > 0 ? all / expected : (double)INFINITY;
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
