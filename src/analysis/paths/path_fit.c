#include "analysis/paths/path_fit.h"

#include <math.h>

enum { ROUNDS = 60 };
/* No sum is trusted further in one round: a node that next to no path was seen to use would throw
 * them off. */
static const double STEP_MOST = 2;

void path_fit_release(struct path_fit *fit)
{
    vec_release(&fit->uses);
    vec_release(&fit->paths);
    vec_release(&fit->wanted);
}

void path_fit_clear(struct path_fit *fit)
{
    fit->uses.n = fit->paths.n = fit->wanted.n = 0;
}

static size_t uses_of(const struct path_fit *fit, size_t path)
{
    return path ? fit->paths.at[path - 1].end : 0;
}

/* Logarithms of what each node and edge asks for. */
static void asked_find(const struct path_fit *fit, double *asked)
{
    for (size_t i = 0; i < fit->wanted.n; i++)
        asked[i] = 0;
    for (size_t p = 0; p < fit->paths.n; p++)
        for (size_t u = uses_of(fit, p); u < fit->paths.at[p].end; u++)
            asked[fit->uses.at[u]] += fit->paths.at[p].weight;
    for (size_t i = 0; i < fit->wanted.n; i++)
        asked[i] = asked[i] > 0 && fit->wanted.at[i] > 0
                       ? fmin(fmax(log(fit->wanted.at[i] / asked[i]), -STEP_MOST), STEP_MOST)
                       : 0;
}

void path_fit_solve(struct path_fit *fit)
{
    double *asked = mem_alloc((fit->wanted.n + 1) * sizeof *asked);
    for (int round = 0; round < ROUNDS; round++) {
        asked_find(fit, asked);
        for (size_t p = 0; p < fit->paths.n; p++) {
            size_t begin = uses_of(fit, p), n = fit->paths.at[p].end - begin;
            double sum = 0;
            for (size_t u = begin; u < begin + n; u++)
                sum += asked[fit->uses.at[u]];
            if (n)
                fit->paths.at[p].weight *= exp(sum / (double)n);
        }
    }
    mem_free(asked);
}
