/* The first and last lines of every view: which recording it is, and what the recording missed. */
#pragma once

#include "analysis/counts/items.h"
#include "text/json.h"
#include "analysis/counts/labels.h"

/* Opens the object and writes all of it up to the rows; `name` is that of the schema. */
void head_json(struct json *json, const char *name, const struct scene *scene, uint32_t side,
               enum item_by by, enum weight weight, uint64_t stray);
/* The same of rows that are no items, which have no inferred counts. */
void head_json_by(struct json *json, const char *name, const struct scene *scene, uint32_t side,
                  const char *by, enum weight weight);
void estimate_json(struct json *json, const char *value, const char *lo, const char *hi,
                   struct estimate estimate);

/* ", as recorded (raw)", or how else counts came about. */
const char *counts_text(const struct scene *scene, uint32_t side, enum item_by by);
/* What follows user and kernel time where only the kernel knows how the CPU time is divided. */
const char *time_divided_text(const struct profile *profile);
/* One line: mode, how much was seen, of what. */
void head_text(FILE *to, const struct scene *scene, uint32_t side);
/* If two profiles have next to nothing in common, given as shares of each: that they are of
 * different programs. any: both have something. */
void different_text(FILE *to, bool any, double common_first, double common_second);
/* Whether something can be done about it, or it befell many samples; others are shown with -v. */
bool loss_matters(const struct totals *totals, enum loss loss);
/* Losses, and modules without a binary. Of losses those that matter, with what helps; all of them
 * if the scene is verbose. */
void losses_text(FILE *to, const struct scene *scene, uint32_t side, uint64_t stray);
/* Of two recordings: what both say alike is said once. */
void losses_text_both(FILE *to, struct scene *const scenes[2], const char *const names[2]);

/* "12.34% ±0.56"; of an interval that would go on beyond 0 or 100 % the end that is left: "0.10%
 * +0.56", "99.90% -0.56". Two alternating buffers. */
const char *share_text(const struct profile *profile, struct estimate share);
/* The line below rows: how many of all there are, and how to see others if there are any. */
void shown_text(FILE *to, size_t shown, size_t all, const char *what);
