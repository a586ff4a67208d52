#include "analysis/windows/usual.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *figures, size_t n)
{
    qsort(figures, n, sizeof *figures, by_size);
    return n % 2 ? figures[n / 2] : (figures[n / 2 - 1] + figures[n / 2]) / 2;
}

struct usual usual_of(const double *figures, size_t n, double least)
{
    struct usual usual = {NAN, NAN};
    double *known = mem_alloc((n + 1) * sizeof *known);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(figures[i]))
            known[k++] = figures[i];
    if (k >= USUAL_LEAST) {
        usual.median = median(known, k);
        for (size_t i = 0; i < k; i++)
            known[i] = fabs(known[i] - usual.median);
        usual.spread = fmax(1.4826 * median(known, k), least);
    }
    mem_free(known);
    return usual;
}

double usual_distance(const struct usual *usual, double figure)
{
    return fabs(figure - usual->median) / usual->spread;
}
