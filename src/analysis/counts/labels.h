/* Texts for places, names, weights and numbers, the same in every view. */
#pragma once

#include "analysis/counts/scene.h"

enum weight { WEIGHT_COUNT, WEIGHT_TIME };

const char *weight_name(enum weight weight);

/* "MODULE+0xOFFSET"; the text holds until the scene is closed. */
const char *address_text(struct scene *scene, uint32_t module, uint64_t at);
/* The reverse: of how many bytes the module's name is, and the address. False: it is no such text.
 */
bool address_parse(const char *text, size_t *ret_module_bytes, uint64_t *ret_at);
/* The readable name of a name as linked, cut to the width of a column; whole if the scene is to be
 * verbose. Holds until the scene is closed. */
const char *name_text(struct scene *scene, const char *linkage);
/* Names shorter by a few characters, for a table that is wider than the terminal; false: it fits,
 * or names are as short as can be. */
bool names_narrow(struct scene *scene, int table_width);
/* "file.c:12", or "" where no line is known. The name without its folder. */
const char *line_text(struct scene *scene, uint32_t module, uint64_t at);

/* "1 batch", "2 batches"; one buffer. */
const char *number_text(uint64_t n, const char *one, const char *many);
/* "12.3M"; all digits when exact. Four alternating buffers: for use as arguments of one call. */
const char *count_text(double value, bool exact);
