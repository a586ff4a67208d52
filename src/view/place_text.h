/* The source line and the instruction at a place of a program. */
#pragma once

#include "text/listing.h"
#include "analysis/counts/scene.h"

struct place_text {
    struct scene *scene;
    struct listing listing;
};

void place_text_begin(struct place_text *text, struct scene *scene);
void place_text_end(struct place_text *text);

/* Without blanks at its beginning; "": it is not known, or the file is not there. Until the end. */
const char *place_source(struct place_text *text, uint32_t module, uint64_t at);
/* As it is, or what of it fits on a line, unless all of everything was asked for (-v). */
const char *place_brief(const struct place_text *text, const char *code);
/* "": there is no binary. One buffer. */
const char *place_assembly(const struct place_text *text, uint32_t module, uint64_t at);
