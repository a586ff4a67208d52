#include "consumers/burst_fit.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Paths that are told apart: those that have most of the time. What others take is what was
 * guessed. */
enum { UNKNOWNS = 256 };
enum { ROUNDS = 4 };
/* A burst that is this many deviations off was disturbed. */
#define DISTURBED 4.0
/* Bursts are known no better than this part of their time: passages of one path are not all alike.
 */
#define NOISE_LEAST 0.01
/* What is off is not chance alone: how a burst begins and ends may go with the paths that it has
 * one more of. So however many bursts a path is in, they are worth no more than so many. */
#define WORTH 64.0
/* A guess is no better than this part of it, and so many ticks. */
#define GUESS_PART 0.05
#define GUESS_TICKS 1.0
/* What a burst takes besides its passages: its first and last have nothing to overlap with on one
 * side. */
#define EDGE_TICKS 100.0
/* Code that writes passages down is in the processor beside them, so that less of them overlaps
 * than natively: by this part of what does. */
#define CROWDED 0.03
/* but no more than this part of what it takes: time alone may have an interrupt in it. */
#define CROWDED_MOST 0.2
/* No passage takes less than this part of the guess. */
#define LEAST 0.02

void burst_fit_release(struct burst_fit *fit)
{
    vec_release(&fit->bursts);
    vec_release(&fit->parts);
    vec_release(&fit->paths);
}

struct solving {
    struct burst_fit *fit;
    double *guess, *spread; /* of each path */
    double *usual;          /* what each burst takes, as the latest estimates say */
    bool *used;             /* bursts */
    uint32_t *unknown;      /* of each path: its number among those that are told apart, and one */
    uint32_t n;             /* of those; the edge is behind them */
    uint32_t *path;         /* of each unknown */
    double *matrix, *right; /* (n + 1) x (n + 1), its lower half */
    double edge;
};

/* ---- guesses */

static double burst_alone(const struct burst_fit *fit, const struct burst *burst)
{
    double sum = 0;
    for (uint32_t i = 0; i < burst->n; i++) {
        const struct burst_part *part = &fit->parts.at[burst->first + i];
        sum += part->passages * fit->paths.at[part->path].alone;
    }
    return sum;
}

/* A path that was never alone: as long as others of its bursts are on the mean. Of what it may be
 * this says little. */
static void alone_fill(struct burst_fit *fit)
{
    double ticks = 0, passages = 0;
    for (size_t b = 0; b < fit->bursts.n; b++) {
        ticks += fit->bursts.at[b].ticks;
        for (uint32_t i = 0; i < fit->bursts.at[b].n; i++)
            passages += fit->parts.at[fit->bursts.at[b].first + i].passages;
    }
    for (size_t p = 0; p < fit->paths.n; p++)
        if (!(fit->paths.at[p].alone > 0))
            fit->paths.at[p].alone = passages > 0 ? 2 * ticks / passages : 1;
}

static void guesses_make(struct solving *s)
{
    struct burst_fit *fit = s->fit;
    double *cut = mem_alloc(fit->paths.n * sizeof *cut),
           *all = mem_alloc(fit->paths.n * sizeof *all);
    for (size_t b = 0; b < fit->bursts.n; b++) {
        const struct burst *burst = &fit->bursts.at[b];
        double part = burst->ticks / burst_alone(fit, burst);
        for (uint32_t i = 0; i < burst->n; i++) {
            const struct burst_part *of = &fit->parts.at[burst->first + i];
            cut[of->path] += of->passages * fmin(part, 1);
            all[of->path] += of->passages;
        }
    }
    for (size_t p = 0; p < fit->paths.n; p++) {
        double alone = fit->paths.at[p].alone, left = all[p] > 0 ? cut[p] / all[p] : 1;
        s->guess[p] = left * alone;
        s->spread[p] = fmax(alone - s->guess[p], GUESS_PART * s->guess[p] + GUESS_TICKS);
        fit->paths.at[p].ticks = s->guess[p];
        fit->paths.at[p].deviation = s->spread[p];
        fit->paths.at[p].passages = all[p];
    }
    mem_free(cut);
    mem_free(all);
}

/* ---- who is told apart */

struct ranked {
    double ticks;
    uint32_t path;
};

static int by_ticks_then_path(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->ticks != y->ticks)
        return x->ticks > y->ticks ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

static void unknowns_choose(struct solving *s)
{
    size_t n = s->fit->paths.n;
    struct ranked *ranked = mem_alloc((n + 1) * sizeof *ranked);
    for (size_t p = 0; p < n; p++)
        ranked[p] = (struct ranked){s->fit->paths.at[p].passages * s->guess[p], (uint32_t)p};
    qsort(ranked, n, sizeof *ranked, by_ticks_then_path);
    for (size_t i = 0; i < n && i < UNKNOWNS && ranked[i].ticks > 0; i++) {
        s->path[s->n++] = ranked[i].path;
        s->unknown[ranked[i].path] = s->n;
    }
    mem_free(ranked);
}

/* ---- least squares */

static double *cell(const struct solving *s, uint32_t row, uint32_t column)
{
    return &s->matrix[(size_t)row * (s->n + 1) + column];
}

static double burst_usual(const struct solving *s, const struct burst *burst)
{
    double sum = s->edge;
    for (uint32_t i = 0; i < burst->n; i++) {
        const struct burst_part *part = &s->fit->parts.at[burst->first + i];
        sum += part->passages * s->fit->paths.at[part->path].ticks;
    }
    return fmax(sum, 1);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* How far bursts are off on the whole, as a part of them; and which are too far. */
static double noise_find(struct solving *s)
{
    size_t n = s->fit->bursts.n;
    double *off = mem_alloc((n + 1) * sizeof *off), *sorted = mem_alloc((n + 1) * sizeof *sorted);
    for (size_t b = 0; b < n; b++) {
        const struct burst *burst = &s->fit->bursts.at[b];
        s->usual[b] = burst_usual(s, burst);
        off[b] = sorted[b] = fabs(burst->ticks / s->usual[b] - 1);
    }
    qsort(sorted, n, sizeof *sorted, by_size);
    double noise = fmax(1.4826 * sorted[n / 2], NOISE_LEAST);
    for (size_t b = 0; b < n; b++)
        s->used[b] = off[b] <= DISTURBED * noise;
    mem_free(off);
    mem_free(sorted);
    return noise;
}

static void burst_add(struct solving *s, const struct burst *burst, double weight)
{
    double rest = burst->ticks;
    for (uint32_t i = 0; i < burst->n; i++) { /* of others what was guessed */
        const struct burst_part *part = &s->fit->parts.at[burst->first + i];
        if (!s->unknown[part->path])
            rest -= part->passages * s->guess[part->path];
    }
    *cell(s, s->n, s->n) += weight;
    s->right[s->n] += weight * rest;
    for (uint32_t i = 0; i < burst->n; i++) {
        const struct burst_part *part = &s->fit->parts.at[burst->first + i];
        uint32_t row = s->unknown[part->path];
        if (!row--)
            continue;
        s->right[row] += weight * part->passages * rest;
        *cell(s, s->n, row) += weight * part->passages;
        for (uint32_t k = 0; k < burst->n; k++) {
            const struct burst_part *other = &s->fit->parts.at[burst->first + k];
            uint32_t column = s->unknown[other->path];
            if (column-- && column <= row)
                *cell(s, row, column) += weight * part->passages * other->passages;
        }
    }
}

/* Those that are used. */
static void bursts_count(struct solving *s)
{
    struct burst_fit *fit = s->fit;
    for (size_t p = 0; p < fit->paths.n; p++) {
        fit->paths.at[p].bursts = 0;
        fit->paths.at[p].passages = 0;
    }
    for (size_t b = 0; b < fit->bursts.n; b++)
        for (uint32_t i = 0; s->used[b] && i < fit->bursts.at[b].n; i++) {
            const struct burst_part *part = &fit->parts.at[fit->bursts.at[b].first + i];
            fit->paths.at[part->path].bursts++;
            fit->paths.at[part->path].passages += part->passages;
        }
}

/* What one burst is worth: the more others have the same paths, the less. */
static double burst_worth(const struct solving *s, const struct burst *burst)
{
    double in = 0, all = 0;
    for (uint32_t i = 0; i < burst->n; i++) {
        const struct burst_part *part = &s->fit->parts.at[burst->first + i];
        double ticks = part->passages * s->guess[part->path];
        in += ticks * (double)s->fit->paths.at[part->path].bursts;
        all += ticks;
    }
    return in > WORTH * all ? WORTH * all / in : 1;
}

static void equations_make(struct solving *s, double noise)
{
    uint32_t n = s->n + 1;
    for (size_t i = 0; i < (size_t)n * n; i++)
        s->matrix[i] = 0;
    for (uint32_t i = 0; i < n; i++)
        s->right[i] = 0;
    for (size_t b = 0; b < s->fit->bursts.n; b++)
        if (s->used[b])
            burst_add(s, &s->fit->bursts.at[b],
                      burst_worth(s, &s->fit->bursts.at[b]) /
                          (noise * noise * s->usual[b] * s->usual[b]));
    for (uint32_t i = 0; i < s->n; i++) {
        double sure = 1 / (s->spread[s->path[i]] * s->spread[s->path[i]]);
        *cell(s, i, i) += sure;
        s->right[i] += sure * s->guess[s->path[i]];
    }
    *cell(s, s->n, s->n) += 1 / (EDGE_TICKS * EDGE_TICKS);
}

/* Cholesky: the lower half becomes its root. Guesses make it positive. */
static void matrix_root(struct solving *s)
{
    for (uint32_t i = 0; i <= s->n; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double sum = *cell(s, i, k);
            for (uint32_t j = 0; j < k; j++)
                sum -= *cell(s, i, j) * *cell(s, k, j);
            *cell(s, i, k) = i == k ? sqrt(fmax(sum, 1e-300)) : sum / *cell(s, k, k);
        }
}

static void solve_down(const struct solving *s, double *x, uint32_t from)
{
    for (uint32_t i = from; i <= s->n; i++) {
        for (uint32_t j = from; j < i; j++)
            x[i] -= *cell(s, i, j) * x[j];
        x[i] /= *cell(s, i, i);
    }
}

static void solve_up(const struct solving *s, double *x)
{
    for (uint32_t i = s->n + 1; i--;) {
        for (uint32_t j = i + 1; j <= s->n; j++)
            x[i] -= *cell(s, j, i) * x[j];
        x[i] /= *cell(s, i, i);
    }
}

static void estimates_take(struct solving *s)
{
    solve_down(s, s->right, 0);
    solve_up(s, s->right);
    for (uint32_t i = 0; i < s->n; i++)
        s->fit->paths.at[s->path[i]].ticks = fmax(s->right[i], LEAST * s->guess[s->path[i]]);
    s->edge = s->right[s->n];
}

/* The deviation of each unknown: a column of the inverse root, squared. */
static void deviations_take(struct solving *s)
{
    double *x = mem_alloc((s->n + 1) * sizeof *x);
    for (uint32_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (uint32_t k = i; k <= s->n; k++)
            x[k] = k == i;
        solve_down(s, x, i);
        for (uint32_t k = i; k <= s->n; k++)
            sum += x[k] * x[k];
        struct burst_path *path = &s->fit->paths.at[s->path[i]];
        double crowded = CROWDED * fmax(path->alone - path->ticks, 0);
        path->deviation = hypot(sqrt(sum), fmin(crowded, CROWDED_MOST * path->ticks));
    }
    mem_free(x);
}

/* ---- */

void burst_fit_solve(struct burst_fit *fit)
{
    size_t paths = fit->paths.n, bursts = fit->bursts.n;
    if (!bursts || !paths)
        return;
    enum { ALL = UNKNOWNS + 1 };
    struct solving s = {.fit = fit,
                        .guess = mem_alloc(paths * sizeof(double)),
                        .spread = mem_alloc(paths * sizeof(double)),
                        .unknown = mem_alloc(paths * sizeof(uint32_t)),
                        .usual = mem_alloc(bursts * sizeof(double)),
                        .used = mem_alloc(bursts * sizeof(bool)),
                        .path = mem_alloc(ALL * sizeof(uint32_t)),
                        .matrix = mem_alloc((size_t)ALL * ALL * sizeof(double)),
                        .right = mem_alloc(ALL * sizeof(double))};
    alone_fill(fit);
    guesses_make(&s);
    unknowns_choose(&s);
    for (int round = 0; round < ROUNDS; round++) {
        double noise = noise_find(&s);
        bursts_count(&s);
        equations_make(&s, noise);
        matrix_root(&s);
        estimates_take(&s);
    }
    deviations_take(&s);
    mem_free(s.guess);
    mem_free(s.spread);
    mem_free(s.unknown);
    mem_free(s.usual);
    mem_free(s.used);
    mem_free(s.path);
    mem_free(s.matrix);
    mem_free(s.right);
}
