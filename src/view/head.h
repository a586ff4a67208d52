/* What every view says first and last: of what recording it is, and what that failed to see. */
#pragma once

#include "view/items.h"
#include "view/json.h"

enum weight { WEIGHT_COUNT, WEIGHT_TIME };

const char *weight_name(enum weight weight);
bool weight_parse(const char *name, enum weight *ret_weight);

/* "MODULE+0xOFFSET"; the text holds until the scene is closed. */
const char *address_text(struct scene *scene, uint32_t module, uint64_t at);
/* The readable name of a name as linked, cut to the width of a column; whole if the scene is to be
 * verbose. Holds until the scene is closed. */
const char *name_text(struct scene *scene, const char *linkage);
/* Names shorter by a few characters, for a table that is wider than the terminal; false: it fits, or
 * names are as short as can be. */
bool names_narrow(struct scene *scene, int table_width);
/* "file.c:12", or "" where no line is known. The name without its folder. */
const char *line_text(struct scene *scene, uint32_t module, uint64_t at);

/* Opens the object and writes all of it up to the rows; `name` is that of the schema. */
void head_json(struct json *json, const char *name, const struct scene *scene, uint32_t side,
               enum item_by by, enum weight weight, uint64_t stray);
void estimate_json(struct json *json, const char *value, const char *lo, const char *hi,
                   struct estimate estimate);

/* ", as taken (raw)", or how else counts came about. */
const char *counts_text(const struct scene *scene, uint32_t side, enum item_by by);
/* One line: mode, how much was seen, of what. */
void head_text(FILE *to, const struct scene *scene, uint32_t side);
/* If two profiles have next to nothing in common, given as shares of each: that they are of different
 * programs. any: both have something. */
void different_text(FILE *to, bool any, double common_first, double common_second);
/* Losses and modules without a binary. */
void losses_text(FILE *to, const struct scene *scene, uint32_t side, uint64_t stray);

/* "12.34% ±0.56"; of an interval that would go on beyond 0 or 100 % the end that is left: "0.10% +0.56",
 * "99.90% -0.56". Two alternating buffers. */
const char *share_text(const struct profile *profile, struct estimate share);
/* "1 batch", "2 batches"; one buffer. */
const char *number_text(uint64_t n, const char *one, const char *many);
/* "12.3M"; all digits when exact. Four alternating buffers: for use as arguments of one call. */
const char *count_text(double value, bool exact);
/* The line below rows: how many of all there are, and how to see others if there are any. */
void shown_text(FILE *to, size_t shown, size_t all, const char *what);
