/* How much a change brings, and how sure that is. */
#pragma once

struct whatif;
struct whatif_row;

/* What all rows share: how fast the model is, and what of the CPU time is the program's own. */
void gain_begin(struct whatif *whatif);
void gain_estimate(const struct whatif *whatif, struct whatif_row *row);
