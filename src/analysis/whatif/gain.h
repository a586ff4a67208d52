/* How much a change brings, and how sure that is. */
#pragma once

#include "analysis/counts/estimate.h"

struct whatif;
struct whatif_measured;
struct whatif_row;

/* What all rows share: how fast the model is, and what of the CPU time is the program's own.
 * measured: see whatif_asked. */
void gain_begin(struct whatif *whatif, const struct whatif_measured *measured);
void gain_estimate(const struct whatif *whatif, struct whatif_row *row);
/* A gain that is known from windows, with how far the model may be off; part: what of the program
 * the change touches. Without an interval it gets none. */
struct estimate gain_modelled(struct estimate sampled, double part);
/* Of two gains, which is first: those that are certain, by their lower ends; likely ones, each the
 * less the wider its interval is; last those whose interval is not known. */
int gain_order(const struct estimate *a, const struct estimate *b);
