/* What is usual among some figures, and how far one of them is from that.
 *
 * Usual is the median; the spread is the median distance from it, times 1.4826: the standard
 * deviation, if figures are spread normally. A few odd ones change neither. */
#pragma once

#include <stddef.h>

struct usual {
    double median, spread; /* NAN: too few figures */
};

enum { USUAL_LEAST = 8 }; /* figures, to say what is usual */

/* Figures that are NAN are left out. `least` is the smallest spread: of figures that are nearly all
 * equal, the slightest difference would be enormous. */
struct usual usual_of(const double *figures, size_t n, double least);
/* In spreads; NAN: not known. */
double usual_distance(const struct usual *usual, double figure);
